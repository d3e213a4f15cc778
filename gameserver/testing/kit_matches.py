"""The contract of matches: a player of the protocol plays whole ones, and reconnects.

The player knows only what it reads from the bytes.
"""

import json
import random
import re
from collections.abc import Callable
from typing import Any

from attrs import define, field

from gameserver.core.match import Match
from gameserver.game import Game
from gameserver.protocol import GameEnded, Leave, MatchOpened, MatchShown, MovePlayed, Play, Rejected
from gameserver.testing.kit_connection import KitConnection, KitWire, shown
from gameserver.testing.kit_lobby import SECRET_GAME, WORDS, KitLobby, Rival
from gameserver.testing.speaker import Driver, Moved, Over, PositionTold, Told, YourTurn

_READS_MAX = 20
"""The most times in a row that a driver answers what it reads."""
_MOVES_MAX = 10_000
_MATCHES_MAX = 3  # by judgement: chance gives the player either seat
_MOVES_ENOUGH = 100
_DROP_AFTER = 2
_CHOICES_MAX = 1_000
"""Moves that are drawn to find one that the driver says."""
_SHORT_MATCHES_MAX = 20
"""Matches that may be over before a connection is lost, as where a double is declined."""
# A hidden move such as rock may be a word of the protocol, which must not be blamed for its own words.
_NUMBER_LENGTH_MIN, _WORD_LENGTH_MIN = 4, 8
"""The least letters and digits of a hidden text that is looked for, with a digit and without: shorter ones come up by
chance, or are words of the protocol."""


@define
class _KitPlayer:
    """A driver, and what the kit knows of its player's match."""

    one: KitConnection
    name: str
    game: Game[Any]
    driver: Driver = field(init=False)
    told: list[Told] = field(factory=list)
    position: PositionTold | None = None
    """The last one that the client was told of."""
    asked_for_move: bool = False
    _unread: int = 0
    _events_known: int = 0
    _texts_known: set[str] = field(factory=set)
    """The moves and draws that the lobby told this connection of."""

    def __attrs_post_init__(self) -> None:
        self.driver = self.one.speaker.player(KitWire(self.one), self.name)

    @property
    def hall(self) -> KitLobby:
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
        for _ in range(_READS_MAX):
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
            self.position = next((each for each in reversed(told) if isinstance(each, PositionTold)), self.position)
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
            # A protocol may leave out the player's own moves, and one that tells positions all of them.
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
        happened = [game.result.for_seat(seat) for game in games]
        heard = [told.result for told in self.told if isinstance(told, Over)]
        trail.require(
            heard[-len(happened) :] == happened,
            f"the game was a {', a '.join(happened)}, and the client was told {heard}; render GameEnded",
        )

    @property
    def _player(self) -> str:
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
            if len(letters) < (_NUMBER_LENGTH_MIN if any(map(str.isdigit, letters)) else _WORD_LENGTH_MIN):
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


PLAYER, _RIVAL = "ann", "tim"


@define
class Matches:
    """Plays the kit's matches with a protocol's player. `connect` makes a connection to a hall."""

    connect: Callable[[KitLobby], KitConnection]
    games: tuple[Game[Any], ...]
    chance: random.Random

    def check_matches(self, game: Game[Any]) -> None:
        """Plays whole matches of a protocol's player against a text player, or the house; one where it is long."""
        moves = 0
        for _ in range(_MATCHES_MAX):
            moves += self._play(self._seeking(KitLobby(self.games), PLAYER, game), drop_after=None)
            if moves >= _MOVES_ENOUGH:
                return

    def check_return(self, game: Game[Any]) -> None:
        """Plays a match in which a protocol's player loses its connection and comes back, where it can."""
        for _ in range(_SHORT_MATCHES_MAX):
            player = self._seeking(KitLobby(self.games), PLAYER, game)
            if not player.driver.comes_back or self._play(player, drop_after=_DROP_AFTER) > _DROP_AFTER:
                return

    def _play(self, player: _KitPlayer, drop_after: int | None) -> int:
        """Play a match to its end; the number of moves."""
        number = 0
        rival = Rival(player.hall, _RIVAL, is_house=player.one.speaker.meets_house)
        rival.find(player.game.name)
        self._require_match(player)
        while True:
            if number == drop_after and player.match is not None:
                player = self._returned(player)
            player.read()
            match = player.match
            if match is None:
                player.check_account()
                return number
            player.check_position(match)
            self._act(player, rival, match)
            number += 1
            player.one.trail.require(number < _MOVES_MAX, f"no end after {_MOVES_MAX} moves")

    def check_secrets(self) -> None:
        """Plays matches of two protocol's players: who has not chosen must not read the other's choice."""
        hall = KitLobby(self.games)
        players = [self._seeking(hall, name, SECRET_GAME) for name in (PLAYER, _RIVAL)]
        players[1].read()  # a driver may have to say that it is ready
        self._require_match(players[0])
        while players[0].match is not None:
            first, second = self.chance.sample(players, 2)
            words = self.chance.sample(WORDS, 2)
            for player in players:
                player.read()
            first.move(words[0])
            second.one.trail.steps.append(f"(the opponent chooses {words[0]})")
            second.read()
            second.move(words[1])
        for player in players:
            player.check_account()

    def _seeking(self, hall: KitLobby, name: str, game: Game[Any]) -> _KitPlayer:
        one = self.connect(hall)
        if one.speaker.driver is None:
            one.log_in(name)
        player = _KitPlayer(one, name, game)
        one.trail.steps.append(f"find({game.name!r})")
        player.driver.find(game.name)
        return player

    def _require_match(self, player: _KitPlayer) -> None:
        player.read()
        match = player.match
        if match is None or not match.turn.seats:
            player.one.trail.fail(
                f"two look for an opponent at {player.game.name}, and no game began; let find() end in Seek, or in Sit "
                f"and Ready. The client was told {shown(player.one.said[-400:])}"
            )

    def _act(self, player: _KitPlayer, rival: Rival, match: Match) -> None:
        """Make a move for the player who is to act."""
        one = player.one
        if not match.turn.seats:
            one.trail.fail(f"the match has another game, and it does not begin; say Ready. {player.last_told}")
        seat = self.chance.choice(match.turn.seats)
        moves = match.state.legal_moves(seat)
        if match.seats[seat].session == one.session:
            texts = (match.game.write_move(self.chance.choice(moves)) for _ in range(_CHOICES_MAX))
            text = next((text for text in texts if player.driver.says(text)), None)
            if text is None:
                one.trail.fail(f"the driver says none of {_CHOICES_MAX} legal moves; let says() be True for some")
            player.move(text)
            return
        text = match.game.write_move(self.chance.choice(moves))
        one.trail.steps.append(f"(the opponent plays {text})")
        answer = rival.play(match, seat, text)
        assert not isinstance(answer, Rejected), answer

    def _returned(self, player: _KitPlayer) -> _KitPlayer:
        one = player.one
        # Nobody is told: a network that is gone says nothing.
        one.ended = "lost"
        player.hall.do(Leave(one.session))
        again = _KitPlayer(self.connect(player.hall), player.name, player.game)
        again.one.trail.steps += [*one.trail.steps, "(the connection is lost)", f"come_back({PLAYER!r})"]
        again.driver.come_back(player.driver)
        again.one.trail.require(
            again.match is not None,
            "the player does not have the seat back; name the same player in Enter, or set come_back=None. "
            f"The client was told {shown(again.one.said)}",
        )
        return again
