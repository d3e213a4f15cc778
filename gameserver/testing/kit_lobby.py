"""The lobby of the protocol kit. Its decisions are those of the server's own core; its clock is stopped.

In its game both choose a word at once, and neither sees the other's before both have chosen. The words are long enough
not to come up in a protocol's own: a client that can read its opponent's word too early was told it.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from attrs import Factory, define, evolve, field

from gameserver import protocol as public
from gameserver.core.commands import HOUSE_SESSION, HousePlayer, ServerStarted
from gameserver.core.decide import decide
from gameserver.core.lobby import At, Change, Lobby
from gameserver.core.match import Match
from gameserver.game import Game, IllegalMove, NoOptions, Outcome, Seat, State, Turn
from gameserver.policies import Rules
from gameserver.protocol import (
    Answer,
    Command,
    Enter,
    Event,
    Play,
    Query,
    Seek,
)
from gameserver.values import value

# The clock is stopped, so a pause would never end; and a player has to be able to come back.
_RULES = Rules(first_move_pause_ms=0, drop_grace_ms=60_000)
NOW_MS = 1_000

# Rock, paper and scissors may be words of a protocol; quince01 is none.
WORDS = tuple(f"quince{number:02}" for number in range(20))
_ROUNDS = 3
_HIDDEN = "?"


@define
class KitLobby:
    """The lobby of the protocol kit, with a stopped clock, and its connections."""

    games: Sequence[Game[Any]]
    lobby: Lobby = field(init=False)
    members: dict[int, Any] = Factory(dict)
    """Connections by session, and listeners without one."""
    _ids: Iterator[int] = Factory(itertools.count)

    def __attrs_post_init__(self) -> None:
        self.lobby = Lobby({game.name.lower(): game for game in self.games})
        self.lobby.apply(_opening(tuple((game.name, game.version) for game in self.games)))

    def new_session(self) -> int:
        """A session number that the kit's lobby never used."""
        # Not from 1, so that a protocol which takes a session for a seat or a match is found.
        return len(self.members) + 7

    def new_id(self) -> str:
        """An id that the kit's lobby never used."""
        return f"id-{next(self._ids)}"

    def do(self, asked: Command | Query) -> Answer:
        """Decide a command or query in the kit's lobby and tell everybody concerned.

        The sender hears the answer first.
        """
        decision = decide(self.lobby, asked, At(NOW_MS, NOW_MS))
        self.lobby.apply(decision.changes)
        told: dict[int, list[Event]] = {asked.session: []} if hasattr(asked, "session") else {}
        for session, event in decision.deliveries:
            told.setdefault(session, []).append(event)
        for session, events in told.items():
            if session in self.members:
                is_sender = session == getattr(asked, "session", None)
                self.members[session].hear(decision.answer if is_sender else None, events)
        for session, why in decision.dismissed:
            self.members[session].end(why)
        return decision.answer

    def match_of(self, session: int) -> Match | None:
        """Finds the match that a session of the kit's lobby plays."""
        player = self.lobby.players.get(self.lobby.sessions.get(session, ""))
        return None if player is None or player.match is None else self.lobby.matches[player.match]


@cache
def _opening(games: tuple[tuple[str, int], ...]) -> tuple[Change, ...]:
    """The changes of a start with these games by name and version. The kit opens some thousand halls for a protocol."""
    house = (HousePlayer("house-random", tuple(name for name, _ in games)),)
    return decide(Lobby({}), ServerStarted(1, "5e" * 32, _RULES, house, dict(games)), At(NOW_MS, NOW_MS)).changes


@define(eq=False)
class Listener:
    """A session in the kit's lobby without a connection, which notes what it is told."""

    hall: KitLobby
    session: int = field(init=False)
    heard: list[Event] = Factory(list)

    def __attrs_post_init__(self) -> None:
        self.session = self.hall.new_session()
        self.hall.members[self.session] = self

    def hear(self, answer: Answer | None, events: Sequence[Event]) -> None:
        """Note what the kit's lobby tells a session without a connection."""
        self.heard += events

    def end(self, why: str) -> None:
        """End a session of the kit's lobby without a connection: nobody is at its other end."""


class Rival:
    """The rival of the protocol's player in the kit's lobby, which plays at random: a text player, or the house."""

    def __init__(self, hall: KitLobby, name: str, *, is_house: bool) -> None:
        self._hall, self._is_house = hall, is_house
        self._session = HOUSE_SESSION if is_house else Listener(hall).session
        if not is_house:
            capabilities = (public.Capability.CHAT, public.Capability.CHALLENGE)
            hall.do(Enter(self._session, name, "strategic", "192.0.2.8", capabilities))

    def find(self, game: str) -> None:
        """Have the rival in the kit's lobby look for any opponent at the game. The house waits to be challenged."""
        if not self._is_house:
            self._hall.do(Seek(self._session, game))

    def play(self, match: Match, seat: Seat, text: str) -> Answer:
        """Have the rival in the kit's lobby make a move."""
        # The house has one session for all its seats, so the server says which of them moves.
        where = (match.id, seat, match.turn.number) if self._is_house else ()
        return self._hall.do(Play(self._session, text, *where))


@value
class _SecretState(State[str]):
    """The words chosen in this round, and the rounds won."""

    chosen: tuple[str, ...] = ("", "")
    scores: tuple[int, int] = (0, 0)
    played: int = 0

    @property
    def turn(self) -> Turn:
        """A round is one turn of both."""
        is_over = self.played == _ROUNDS
        return Turn(self.played, () if is_over else tuple(seat for seat in (0, 1) if not self.chosen[seat]))

    def legal_moves(self, seat: Seat) -> Sequence[str]:
        """Any word."""
        return WORDS if seat in self.turn.seats else ()

    def play(self, seat: Seat, move: str) -> "_SecretState":
        """Choose a word; the later one in the alphabet wins the round."""
        if move not in self.legal_moves(seat):
            raise IllegalMove("it is not your turn")
        first, second = (move, self.chosen[1]) if seat == 0 else (self.chosen[0], move)
        if not (first and second):
            return evolve(self, chosen=(first, second))
        scores = (self.scores[0] + (first > second), self.scores[1] + (second > first))
        return _SecretState(scores=scores, played=self.played + 1)

    @property
    def outcome(self) -> Outcome | None:
        """The end, after the last round."""
        if self.played < _ROUNDS:
            return None
        first, second = self.scores
        return Outcome(self.scores, () if first == second else (0 if first > second else 1,))

    def resigned(self, seat: Seat) -> Outcome:
        """The other one has won."""
        return Outcome(self.scores, (1 - seat,))

    def view(self, viewer: Seat | None) -> Mapping[str, object]:
        """The own word alone."""
        chosen = tuple(word if seat == viewer else "" for seat, word in enumerate(self.chosen))
        return {"chosen": chosen, "scores": self.scores, "played": self.played}

    def board(self, viewer: Seat | None) -> str:
        """The rounds won."""
        return f"{self.scores[0]} : {self.scores[1]}"


class _SecretGame(Game[str]):
    """The game as such."""

    name = "Contract secrets"

    def start(self, options: NoOptions) -> _SecretState:
        """Nobody has chosen."""
        return _SecretState()

    def read_move(self, text: str) -> str:
        """One of the words."""
        if text not in WORDS:
            raise IllegalMove(f"the move must be one of {WORDS[0]} to {WORDS[-1]}")
        return text

    def write_move(self, move: str) -> str:
        """The word."""
        return move

    def seen(self, state: State[Any], move: str, by: Seat, viewer: Seat | None) -> str:
        """The first word of a round is its chooser's alone."""
        assert isinstance(state, _SecretState)
        return _HIDDEN if state.chosen[by] and viewer != by else move


SECRET_GAME = _SecretGame()
