"""The page about tournaments names the acts that there are, in the phases where they are possible."""

import re
from pathlib import Path

import pytest

from gameserver.tournaments.act_table import teacher_acts
from gameserver.tournaments.model import TournamentPhase

ROOT = Path(__file__).parents[3]
STATES = {
    row[1]: set(re.findall(r"`([a-z]+)`", row[2]))
    for row in re.finditer(r"^\| (\w+).*? \| (.+) \|$", (ROOT / "docs/tournaments.md").read_text("utf-8"), re.MULTILINE)
}


@pytest.mark.parametrize("phase", list(TournamentPhase))
def test_the_page_about_tournaments_names_what_is_possible(phase: TournamentPhase) -> None:
    assert STATES[phase] == {name for name, act in teacher_acts().items() if phase in act.phases}
