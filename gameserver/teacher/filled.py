"""What stands in the forms when a page is made: as a rule nothing, after a refusal what was typed, with why not."""

import re
from collections import defaultdict
from collections.abc import Mapping

from attrs import Factory, frozen

from gameserver.core.messages.tournament_commands import Entry
from gameserver.teacher.forms import Form

_ON_OVERVIEW = {"/name": "name", "/tournaments": "create", "/kick": "kick", "/void": "void", "/drain": "drain"}
_OF_TOURNAMENT = dict.fromkeys(("add", "drop", "disqualify"), "players") | dict.fromkeys(("void", "correct"), "games")
_LIFE = "life"
_FORMS = (*_ON_OVERVIEW.values(), _LIFE, "players", "games")
_BLANK: Mapping[str, Form] = {
    "create": {"preset": "hanze", "entry": Entry.LOGGED_IN.value},
    "drain": {"within_s": "300"},
}
_TOURNAMENT = re.compile(r"/tournaments/([0-9]{1,9})/([a-z-]+)")


@frozen
class Refused:
    """Why something was not done, and the form that asked; without a form it is said on top of the page."""

    form: str = ""
    why: str = ""


@frozen
class Filled:
    """The forms of a page."""

    refused: Refused = Refused()
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
