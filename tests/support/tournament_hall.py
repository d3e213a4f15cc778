"""A lobby in which tournaments are paired and played, without a server."""

from typing import Any

from attrs import define, field

from gameserver.core.commands import HOUSE_SESSION, Conduct, CreateTournament, EntryMode, Play
from gameserver.core.events import Accepted, Rejected, TournamentCreated
from gameserver.core.lobby import TournamentRow
from gameserver.core.match import Match
from gameserver.core.organizer import to_pair
from gameserver.policies import Rules
from gameserver.read_model.read_model import LobbyView
from gameserver.read_model.troubles import Trouble, WaitingView
from gameserver.records import explanations
from gameserver.tournaments import model
from gameserver.tournaments.planner import Planner
from gameserver.tournaments.presets import preset
from tests.support.games import Broken, Countdown, Dice, catalogue
from tests.support.lobbies import LobbyHarness

GAMES = catalogue(Countdown(), Dice(), Broken("start"))
RULES = Rules(first_move_pause_ms=0, late_answer_ms=0, room_game="Countdown", room_count=4)
SEED = "7e7e7e7e00112ff3" * 4


@define
class Hall(LobbyHarness):
    """A lobby with somebody who pairs, and bots that can be told to play."""

    sessions: dict[str, int] = field(factory=dict)
    pairs: bool = True

    def do(self, command: Any, stamp_ms: int | None = None) -> Accepted | Rejected:
        answer = LobbyHarness.do(self, command, stamp_ms)
        if self.pairs:
            self.pair()
        return answer

    def pair(self) -> None:
        for number in list(self.lobby.tournaments):
            while (found := to_pair(self.lobby, number, self.now_ms)) is not None:
                row, free = found
                act = Planner().next_pairings(row.state, free, self.now_ms)
                if act is None:
                    break
                assert LobbyHarness.do(self, Conduct(number, act)) == Accepted()

    def come(self, *names: str) -> None:
        for name in names:
            session = self.sessions[name] = len(self.sessions) + 1
            assert self.enter(session, name) == Accepted()

    def create(
        self, which: str = "hanze", game: str = "Countdown", *, entry: EntryMode = EntryMode.LOGGED_IN, **changes: Any
    ):
        roster = changes.pop("roster", ())
        plan = preset(which, changes.pop("name", "Cup of May"), game, **{"pause_ms": 0} | changes)
        return self.do(CreateTournament(plan, SEED, entry, roster, by="teacher"))

    def act(self, act: model.Act, number: int = 1) -> Accepted | Rejected:
        return self.do(Conduct(number, act))

    def run(self, *names: str, which: str = "hanze", **changes: Any) -> None:
        self.come(*names)
        assert isinstance(self.create(which, **changes), TournamentCreated)
        assert self.act(model.StartTournament(0, by="teacher")) == Accepted()

    @property
    def row(self) -> TournamentRow:
        return list(self.lobby.tournaments.values())[-1]

    @property
    def matches(self) -> list[Match]:
        return list(self.lobby.matches.values())

    @property
    def troubles(self) -> tuple[Trouble, ...]:
        return LobbyView.of(self.lobby, 0, self.now_ms).troubles

    @property
    def waiting(self) -> WaitingView | None:
        """The players for whom the first tournament waits."""
        return LobbyView.of(self.lobby, 0, self.now_ms).waiting(1)

    @property
    def blame(self) -> str:
        """The explanation of the last match for the teacher; `explanation` is the one for everybody."""
        return "\n".join(explanations.blame(self.records[-1]))

    @property
    def explanation(self) -> str:
        return "\n".join(explanations.explanation(self.records[-1]))

    def end(self, match: Match, winner: int) -> None:
        """Have the other seat give up."""
        session = match.seats[1 - winner].session
        assert session is not None
        assert self.resign(session) == Accepted()

    def play_house(self, match: Match) -> None:
        """Have the house make its first legal move."""
        for seat in match.turn.seats:
            move = match.game.write_move(match.state.legal_moves(seat)[0])
            self.do(Play(HOUSE_SESSION, move, match.id, seat, match.turn.number))

    def play_out(self) -> None:
        """Play everything that is played, and what follows, to its end; the first of two names wins."""
        while self.matches:
            match = self.matches[0]
            self.end(match, 0 if match.players[0] < match.players[1] else 1)
