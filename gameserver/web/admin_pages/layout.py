"""The parts that all teacher's pages share: the teacher's name, the link to the public pages, the last outcome."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from starlette.requests import Request

from gameserver.read_model.lobby_view import read_model_of
from gameserver.tournaments.act_table import teacher_acts
from gameserver.web.admin_pages.forms import Filled
from gameserver.web.ui.templating import render

NAME_COOKIE = "gameserver-teacher"
NAME_LENGTH_MAX = 100
PAUSE_S = 1.0
"""Seconds between two updates of a page."""

DONE: Mapping[str, str] = {
    "name": "Saved: what you do is recorded under this name.",
    "create": "The tournament is created. Start it when everybody is here.",
    "kick": "The player was disconnected. They may log in again.",
    "void-match": "The match was ended without a loser.",
    "drain": "No new matches start, and the server stops after the last one.",
}
"""The messages shown after an act. Tournament acts have theirs in `TeacherAct.done`.

A URL names the key and never the text, so nobody can put text of their own on the page.
"""


def page_of(request: Request, template: str, filled: Filled, **values: Any) -> str:
    """A page with its forms as they are filled in. `view` is the tournament which the page is about."""
    phase = getattr(values.get("view"), "phase", "")
    said = "" if filled.refused.why else _done(request.query_params.get("done", ""), phase)
    forms = {"refused": filled.refused, "typed": filled.fields, "done": said, "me": name_of(request)}
    return render(template, here=request.url.path, json_url="", **forms, **values)


def _done(name: str, phase: str) -> str:
    """The message after an act; empty if it is no longer true."""
    act = teacher_acts().get(name)
    if act is None:
        return DONE.get(name, "")
    return act.done if not act.done_holds_in or phase in act.done_holds_in else ""


def name_of(request: Request) -> str:
    """The teacher's name, as it was typed before."""
    return unquote(request.cookies.get(NAME_COOKIE, ""))[:NAME_LENGTH_MAX]


def pages_url(request: Request) -> str:
    """The URL at which this teacher's browser finds the public pages; empty if none are served."""
    for place in read_model_of(request).listeners:
        if place.protocol == "http":
            host = (request.url.hostname or "localhost") if place.is_everywhere else place.host
            name = f"[{host}]" if ":" in host else host
            return f"{'https' if place.is_encrypted else 'http'}://{name}:{place.port}"
    return ""
