"""Commands are completed from the roster before they are decided."""

from types import SimpleNamespace
from typing import Any, cast

from gameserver.core.commands import Conduct, CreateTournament
from gameserver.server.command_preparer import CommandPreparer
from gameserver.tournaments.model import RegisterEntrant, StartTournament
from gameserver.tournaments.presets import preset
from gameserver.transport.connection import OPEN


def test_players_enter_a_tournament_with_the_team_of_the_roster_unless_the_teacher_names_one() -> None:
    taken: list[Any] = []
    sequencer = SimpleNamespace(
        submit=lambda command, *_: taken.append(command), has_seat_for=lambda _: False, seeding=lambda _: {"ann": 7}
    )
    roster = SimpleNamespace(teams=lambda: {"ann": "Reds", "bob": "Reds"})
    parts: Any = (SimpleNamespace(roster=roster), sequencer, SimpleNamespace(doubts={}), None, None, None, None)
    preparer = CommandPreparer(*parts)
    ann, bob, cyd = RegisterEntrant("ann"), RegisterEntrant("bob", team="Blues"), RegisterEntrant("cyd")
    sender = cast("Any", SimpleNamespace(stage=OPEN, session=1))
    for command in (
        CreateTournament(preset("hanze", "Cup", "Reversi"), "5e" * 32, roster=(ann, bob, cyd)),
        Conduct(1, ann),
        Conduct(1, StartTournament()),
    ):
        preparer.take(command, 0, sender)
    assert [one.team for one in taken[0].roster] == ["Reds", "Blues", ""]
    assert taken[1].act.team == "Reds"
    assert taken[2].act.teams == {"ann": "Reds", "bob": "Reds"}
