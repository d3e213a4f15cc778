"""A player of the protocol in a match of the kit: it knows only what it reads from the bytes."""

import json
import re
from typing import Any

from attrs import define, field

from gameserver.core.match import Match
from gameserver.game import Game
from gameserver.protocol import GameEnded, MatchOpened, MatchShown, MovePlayed, Play
from gameserver.testing.protocol_kit.connection import KitConnection, shown
from gameserver.testing.protocol_kit.driver import Driver, Moved, Over, Position, Told, YourTurn
from gameserver.testing.protocol_kit.hall import Hall
from gameserver.testing.protocol_kit.wire import KitWire

READS_MAX = 20
"""The most times in a row that a driver answers what it reads."""
NUMBER_LENGTH_MIN, WORD_LENGTH_MIN = 4, 8
"""The least letters and digits of a hidden text that is looked for, with a digit and without: shorter ones come up by
chance, or are words of the protocol."""


@define
class KitPlayer:
    """A driver, and what the kit knows of its player's match."""

    one: KitConnection
    name: str
    game: Game[Any]
    driver: Driver = field(init=False)
    told: list[Told] = field(factory=list)
    position: Position | None = None
    """The last one that the client was told of."""
    asked_for_move: bool = False
    _unread: int = 0
    _events_known: int = 0
    _texts_known: set[str] = field(factory=set)
    """The moves and draws that the lobby told this connection of."""

    def __attrs_post_init__(self) -> None:
        self.driver = self.one.speaker.player(KitWire(self.one), self.name)

    @property
    def hall(self) -> Hall:
        """The lobby."""
        return self.one.hall

    @property
    def match(self) -> Match | None:
        """The match that is played; None once it is over."""
        return self.hall.match_of(self.one.session)

    @property
    def last_told(self) -> str:
        """The end of what the client was told, for an error."""
        return f"The client was told {shown(self.one.said[-400:], 400)}"

    def read(self) -> None:
        """Read what has come, and let the driver answer it."""
        one = self.one
        for _ in range(READS_MAX):
            data = bytes(one.said[self._unread :])
            if not data:
                return
            self._unread = len(one.said)
            self._check_hidden(data)
            try:
                told = self.driver.read(data)
            except ValueError as error:
                raise one.trail.error(f"{shown(data)} is no whole message: {error}") from error
            self.told += told
            self.position = next((each for each in reversed(told) if isinstance(each, Position)), self.position)
            self.asked_for_move = self.asked_for_move or YourTurn() in told
        one.trail.fail(f"the driver answers what it reads without end; {self.last_told}")

    def move(self, text: str) -> None:
        """Make a move that is legal."""
        one, before = self.one, self.match
        one.trail.require(
            self.asked_for_move,
            "it is the player's turn, and the client was not told; render TurnStarted, so that read() gives YourTurn",
        )
        assert before is not None, "asked by the caller"
        self.asked_for_move = False
        one.trail.steps.append(text)
        asked, said = len(one.asked), len(one.said)
        self.driver.move(before.game.name, text)
        one.trail.require(
            any(isinstance(command, Play) for command in one.asked[asked:]),
            f"the move {text!r} is no Play for the lobby; the client was told {shown(one.said[said:])}",
        )
        after = self.match
        one.trail.require(
            after is None or after.id != before.id or _progress(after) > _progress(before),
            f"the legal move {text!r} did not count; the client was told {shown(one.said[said:])}",
        )

    def check_position(self, match: Match) -> None:
        """Check the position that the client was told of last, if it is told of positions."""
        if self.position is None or not match.turn.seats:
            return
        view, told = match.state.view(match.seat_of(self._player)), self.position.facts
        actual = {name: view.get(name) for name in told}
        self.one.trail.require(
            _as_json(told) == _as_json(actual),
            f"the game stands at {actual}, and the client was told {dict(told)}; tell what each MovePlayed leads to",
        )

    def check_account(self) -> None:
        """Check that this connection was told what happened."""
        self.read()
        trail, events = self.one.trail, self.one.heard
        entries = [event for event in events if isinstance(event, MatchOpened | MatchShown)]
        seat = entries[-1].seat
        moves = [event for event in events if isinstance(event, MovePlayed) and event.seat is not None]
        for is_own in (False, True):
            happened = [self._spelt(move.text) for move in moves if (move.seat == seat) is is_own]
            heard = [self._spelt(told.text) for told in self.told if isinstance(told, Moved) and told.is_own is is_own]
            if not heard and (is_own or self.position is not None):
                continue
            # A client that came back may have been told of the moves before, too.
            since = heard[max(0, len(heard) - len(happened)) :] if isinstance(entries[0], MatchShown) else heard
            trail.require(
                since == happened,
                f"{'the own' if is_own else 'the opponent'}'s moves were {happened}, and the client was told {heard}; "
                "render each MovePlayed once",
            )
        games = [event for event in events if isinstance(event, GameEnded)]
        happened = [game.result_of(seat) for game in games]
        heard = [told.result for told in self.told if isinstance(told, Over)]
        trail.require(
            heard[-len(happened) :] == happened,
            f"the game was a {', a '.join(happened)}, and the client was told {heard}; render GameEnded",
        )

    @property
    def _player(self) -> str:
        """The player's name in the lobby."""
        return self.hall.lobby.sessions[self.one.session]

    def _check_hidden(self, data: bytes) -> None:
        """Check that the client is told nothing that the lobby did not tell this connection."""
        match = self.match
        if match is None or not match.turn.seats:
            return
        for event in self.one.heard[self._events_known :]:
            moves = event.moves if isinstance(event, MatchShown) else (event,)
            self._texts_known.update(move.text for move in moves if isinstance(move, MovePlayed))
        self._events_known = len(self.one.heard)
        hidden = {move.text for move in match.moves} - self._texts_known
        hidden.add(match.state.resigned(match.seat_of(self._player)).revealed)
        for text in sorted(hidden):
            letters = re.findall(r"[^\W_]", text)
            if len(letters) < (NUMBER_LENGTH_MIN if any(map(str.isdigit, letters)) else WORD_LENGTH_MIN):
                continue
            # However the protocol separates what the game writes: `0123` may be `[0, 1, 2, 3]`.
            spelt = re.compile(r"(?<![^\W_])" + r"[\W_]{0,3}".join(map(re.escape, letters)) + r"(?![^\W_])")
            if spelt.search(data.decode(errors="replace")):
                known = " ".join(
                    [str(self.one.heard), *(each.move for each in self.one.asked if isinstance(each, Play))]
                )
                self.one.trail.require(
                    spelt.search(known),
                    f"the client is told {shown(data)}, and the opponent's move {text!r} is hidden yet; "
                    "say MovePlayed.text, which is for this player, and keep nothing that other connections can see",
                )

    def _spelt(self, text: str) -> str:
        try:
            return self.game.write_move(self.game.read_move(text))
        except ValueError:
            return text


def _progress(match: Match) -> tuple[int, int]:
    """The number of the game and of its moves: it grows with every move."""
    return match.game_number, len(match.moves)


def _as_json(facts: Any) -> Any:
    """Facts with lists for tuples."""
    return json.loads(json.dumps(dict(facts)))
