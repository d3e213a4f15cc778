"""What both pages share: who the teacher is, where everybody's pages are, and what was done or refused."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from starlette.requests import Request

from gameserver.read_model.lobby_view import read_model_of
from gameserver.tournaments.lifecycle.transitions import teacher_acts
from gameserver.web.admin_pages.forms import Filled
from gameserver.web.ui.templating import render

NAME_COOKIE = "gameserver-teacher"
NAME_LENGTH_MAX = 100
PAUSE_S = 1.0
"""The time that a page stands before it is brought up to date again."""

DONE: Mapping[str, str] = {
    "name": "Noted: what you do is kept under this name.",
    "create": "The tournament is announced. Start it when everybody is here.",
    "kick": "The player's connection is ended. They may enter again.",
    "void-match": "The match is ended without a loser.",
    "drain": "No new match begins, and the server stops after the last.",
}
"""What is said afterwards, beside the words of the acts upon a tournament (`TeacherAct.done`).

An address names the line and never the words: nobody can put theirs on the page.
"""


def page_of(request: Request, template: str, filled: Filled, **values: Any) -> str:
    """A page, with its forms as they are filled."""
    done = {**DONE, **{name: spec.done for name, spec in teacher_acts().items()}}
    said = "" if filled.refused.why else done.get(request.query_params.get("done", ""), "")
    forms = {"refused": filled.refused, "typed": filled.fields, "done": said, "me": name_of(request)}
    return render(template, here=request.url.path, json_url="", **forms, **values)


def name_of(request: Request) -> str:
    """The teacher's name, as it was typed once."""
    return unquote(request.cookies.get(NAME_COOKIE, ""))[:NAME_LENGTH_MAX]


def pages_url(request: Request) -> str:
    """Where this teacher's browser finds the pages that everybody may see; empty where none are served."""
    for place in read_model_of(request).listeners:
        if place.protocol == "http":
            host = (request.url.hostname or "localhost") if place.is_everywhere else place.host
            name = f"[{host}]" if ":" in host else host
            return f"{'https' if place.is_encrypted else 'http'}://{name}:{place.port}"
    return ""
