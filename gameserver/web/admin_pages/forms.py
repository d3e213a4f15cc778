"""Turns the teacher's form fields into admin requests, and keeps what was typed when one is refused.

Pure; `HTTPException` (400) says what is wrong.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from attrs import Factory, frozen
from starlette.exceptions import HTTPException

from gameserver.admin.api_responses import fitted
from gameserver.admin.tournament_api import Creation, Doing
from gameserver.core.messages.tournament_commands import EntryMode
from gameserver.tournaments.presets import read_setting

FIELDS_MAX = 50
REASONED = frozenset({"drop", "disqualify", "void", "correct"})
"""The acts that overrule somebody, so that they need a reason."""
_NUMBER_DIGITS_MAX = 9

Form = Mapping[str, str]


def form_of(body: bytes) -> Form:
    """The fields of a form, without the blanks around what was typed."""
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=FIELDS_MAX)
    except ValueError as error:
        raise _wrong(f"the form cannot be read: {error}") from error
    return {name: value.strip() for name, value in pairs}


def creation_of(form: Form, by: str) -> Creation:
    """A tournament to be."""
    changes = dict(_setting(line) for line in form.get("settings", "").splitlines() if line.strip())
    if form.get("turn_time_s"):
        changes["turn_time_ms"] = _number(form["turn_time_s"], "the time for a turn, in seconds,") * 1000
    raw: dict[str, Any] = {
        "preset": form.get("preset", ""),
        "name": _needed(form, "name", "Give the tournament a name"),
        "game": _needed(form, "game", "Choose a game"),
        "changes": changes,
        "entry": form.get("entry", ""),
        "roster": [_named(line) for line in form.get("roster", "").splitlines() if line.strip()],
        "by": by,
        "why": form.get("why", ""),
    }
    return fitted(raw, Creation)


def doing_of(act: str, form: Form, by: str) -> Doing:
    """What is done to a tournament."""
    why = reason_of(form) if act in REASONED else form.get("why", "")
    raw: dict[str, Any] = {"by": by, "why": why}
    if act in {"add", "drop", "disqualify"}:
        raw["player"] = _needed(form, "player", "Say which player")
    if act == "add" and form.get("rating"):
        raw["rating"] = _number(form["rating"], "a rating")
    if act in {"void", "correct"}:
        raw["pairing"] = _number(_needed(form, "pairing", "Say which game"), "a game's number")
    if act == "correct":
        raw["verdict"] = _needed(form, "verdict", "Say the right result")
    return fitted(raw, Doing)


def reason_of(form: Form) -> str:
    """Why something is done that needs a reason."""
    return _needed(form, "why", "Say why: the reason is kept with what was done")


def seconds_of(form: Form) -> int:
    """How long a stop waits."""
    return _number(form.get("within_s", ""), "the time to wait, in seconds,")


def player_of(form: Form) -> str:
    """Who is meant."""
    return _needed(form, "player", "Say which player")


def match_of(form: Form) -> int:
    """Which match is meant."""
    return _number(form.get("match", ""), "a match's number")


def _named(line: str) -> dict[str, Any]:
    """A player: NAME, or NAME,RATING. A comma belongs to no name."""
    name, _, rating = (part.strip() for part in line.partition(","))
    return {"player": name, "rating": _number(rating, f"the rating of {name}") if rating else 0}


def _setting(line: str) -> tuple[str, Any]:
    try:
        return read_setting(line)
    except ValueError as error:
        raise _wrong(str(error)) from error


def _number(text: str, what: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _NUMBER_DIGITS_MAX):
        raise _wrong(f"{what} is a whole number, not {text!r}")
    return int(text)


def _needed(form: Form, name: str, otherwise: str) -> str:
    value = form.get(name, "")
    if not value:
        raise _wrong(otherwise)
    return value


def _wrong(why: str) -> HTTPException:
    return HTTPException(HTTPStatus.BAD_REQUEST, why)


_ON_OVERVIEW = {"/name": "name", "/tournaments": "create", "/kick": "kick", "/void": "void", "/drain": "drain"}
_OF_TOURNAMENT = dict.fromkeys(("add", "drop", "disqualify"), "players") | dict.fromkeys(("void", "correct"), "games")
_LIFE = "life"
_FORMS = (*_ON_OVERVIEW.values(), _LIFE, "players", "games")
_BLANK: Mapping[str, Form] = {
    "create": {"preset": "hanze", "entry": EntryMode.LOGGED_IN.value},
    "drain": {"within_s": "300"},
}
_TOURNAMENT = re.compile(r"/tournaments/([0-9]{1,9})/([a-z-]+)")


@frozen
class FormRefused:
    """Why something was not done, and the form that asked; without a form it is said on top of the page."""

    form: str = ""
    why: str = ""


@frozen
class Filled:
    """The forms of a page."""

    refused: FormRefused = FormRefused()
    typed: Form = Factory(dict)

    @property
    def fields(self) -> dict[str, defaultdict[str, str]]:
        """The content of every field, by form and name; empty where there is none."""
        found = {form: defaultdict(str, _BLANK.get(form, {})) for form in _FORMS}
        if self.refused.form:
            found[self.refused.form].update(self.typed)
        return found


def form_at(path: str, acts: Mapping[str, object]) -> tuple[str, int | None]:
    """The form that posts to this path, and the number of the tournament whose page it stands on."""
    found = _TOURNAMENT.fullmatch(path)
    if found is None:
        return _ON_OVERVIEW.get(path, ""), None
    act = found[2]
    return _OF_TOURNAMENT.get(act, _LIFE) if act in acts else "", int(found[1])
