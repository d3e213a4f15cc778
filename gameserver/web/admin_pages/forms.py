"""Turns the teacher's form fields into admin requests, and keeps what was typed when one is refused.

These functions are pure. They raise `HTTPException` (400), which says what is wrong.
"""

from collections import defaultdict
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from attrs import Factory
from starlette.exceptions import HTTPException

from gameserver.admin.api_responses import fitted
from gameserver.admin.tournament_api import Creation
from gameserver.core.commands import EntryMode
from gameserver.tournaments.act_table import PLAYER, WHY
from gameserver.tournaments.presets import read_setting
from gameserver.values import value

FIELDS_MAX = 50
_NUMBER_DIGITS_MAX = 9

Form = Mapping[str, str]
Fields = defaultdict[str, defaultdict[str, str]]


def form_of(body: bytes) -> Form:
    """The fields of a form, without leading and trailing blanks."""
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=FIELDS_MAX)
    except ValueError as error:
        raise _wrong(f"the form cannot be read: {error}") from error
    return {name: value.strip() for name, value in pairs}


def creation_of(form: Form, by: str) -> Creation:
    """The tournament to create."""
    changes = dict(_setting(line) for line in form.get("settings", "").splitlines() if line.strip())
    if form.get("turn_time_s"):
        changes["turn_time_ms"] = number(form["turn_time_s"], "the time for a turn, in seconds,") * 1000
    raw: dict[str, Any] = {
        "preset": form.get("preset", ""),
        "name": needed(form, "name", "Give the tournament a name"),
        "game": needed(form, "game", "Choose a game"),
        "changes": changes,
        "entry": form.get("entry", ""),
        "roster": [_named(line) for line in form.get("roster", "").splitlines() if line.strip()],
        "by": by,
        "why": form.get("why", ""),
    }
    return fitted(raw, Creation)


def reason_of(form: Form) -> str:
    """The reason, for an act that needs one."""
    return needed(form, WHY.name, WHY.missing)


def seconds_of(form: Form) -> int:
    """Seconds that a stop waits for matches."""
    return number(form.get("within_s", ""), "the time to wait, in seconds,")


def player_of(form: Form) -> str:
    """The name of the player that the form is about."""
    return needed(form, PLAYER.name, PLAYER.missing)


def match_of(form: Form) -> int:
    """The number of the match that the form is about."""
    return number(form.get("match", ""), "a match's number")


def _named(line: str) -> dict[str, Any]:
    """A player from a line NAME or NAME,RATING. No name contains a comma."""
    name, _, rating = (part.strip() for part in line.partition(","))
    return {"player": name, "rating": number(rating, f"the rating of {name}") if rating else 0}


def _setting(line: str) -> tuple[str, Any]:
    try:
        return read_setting(line)
    except ValueError as error:
        raise _wrong(str(error)) from error


def number(text: str, what: str) -> int:
    """A whole number. `what` names it in the refusal."""
    if not (text.isascii() and text.isdigit() and len(text) <= _NUMBER_DIGITS_MAX):
        raise _wrong(f"{what} must be a whole number, not {text!r}")
    return int(text)


def needed(form: Form, name: str, otherwise: str) -> str:
    """A field that must not be empty. `otherwise` is the message if it is."""
    value = form.get(name, "")
    if not value:
        raise _wrong(otherwise)
    return value


def _wrong(why: str) -> HTTPException:
    return HTTPException(HTTPStatus.BAD_REQUEST, why)


_BLANK: Mapping[str, Form] = {
    "create": {"preset": "hanze", "entry": EntryMode.LOGGED_IN.value},
    "drain": {"within_s": "300"},
}


@value
class FormRefused:
    """The reason for a refusal, and the form that was sent. Without a form the reason is shown on top of the page."""

    form: str = ""
    why: str = ""


@value
class Filled:
    """The forms of a page as they are filled in."""

    refused: FormRefused = FormRefused()
    typed: Form = Factory(dict)
    picked: Mapping[str, Form] = Factory(dict)
    """Content that a link filled in, by form."""

    @property
    def fields(self) -> Fields:
        """The content of every field, by form and name; empty for a field without content."""
        found: Fields = defaultdict(lambda: defaultdict(str))
        for form, content in (*_BLANK.items(), *self.picked.items(), (self.refused.form, self.typed)):
            found[form].update(content)
        return found
