"""The contract for matches: a player of the protocol plays whole ones against a text player, and reconnects."""

import random
from collections.abc import Callable
from typing import Any

from attrs import define, field

from gameserver.core.state.match import Match
from gameserver.game import Game
from gameserver.protocol import GameEnded, Leave, MatchOpened, MatchShown, MovePlayed, Play, Rejected, Seek
from gameserver.testing.connection import KitConnection, shown
from gameserver.testing.hall import Hall, TextPlayer
from gameserver.testing.secret_game import SECRET_GAME, WORDS
from gameserver.testing.speaker import Moved, Over, Speaker, Told, YourTurn

PLAYER, RIVAL = "ann", "tim"
MOVES_MAX = 2_000
DROP_AFTER = 2


@define
class KitPlayer:
    """A player of the protocol in one match. It knows only what it reads from the bytes."""

    one: KitConnection
    name: str
    game: Game[Any]
    told: list[Told] = field(factory=list)
    unread: int = 0
    asked_for_move: bool = False

    @property
    def speaker(self) -> Speaker:
        """The speaker of the player's protocol."""
        return self.one.speaker

    def read(self) -> None:
        """Read what has come."""
        data = bytes(self.one.said[self.unread :])
        self.unread = len(self.one.said)
        try:
            told = self.speaker.read(self.name, data)
        except ValueError as error:
            raise self.one.trail.error(f"{shown(data)} is no whole message: {error}") from error
        self.told += told
        self.asked_for_move = self.asked_for_move or YourTurn() in told

    def move(self, text: str) -> None:
        """Make a move that is legal."""
        one = self.one
        one.trail.require(
            self.asked_for_move,
            "it is the player's turn, and the client was not told; render TurnStarted, so that read() gives YourTurn",
        )
        assert self.speaker.move is not None, "asked by the caller"
        self.asked_for_move = False
        one.trail.steps.append(text)
        before, said, match = len(one.asked), len(one.said), one.hall.match_of(one.session)
        assert match is not None, "asked by the caller"
        one.receive(self.speaker.move(self.game.name, text))
        one.trail.require(
            any(isinstance(asked, Play) for asked in one.asked[before:]),
            f"the move {text!r} is no Play for the lobby; the client was told {shown(one.said[said:])}",
        )
        after = one.hall.match_of(one.session)
        one.trail.require(
            after is None or after.id != match.id or len(after.moves) > len(match.moves),
            f"the legal move {text!r} did not count; the client was told {shown(one.said[said:])}",
        )

    def check_account(self) -> None:
        """Check that this connection was told what happened."""
        self.read()
        trail, events = self.one.trail, self.one.heard
        shown = [event for event in events if isinstance(event, MatchOpened | MatchShown)]
        seat = shown[-1].seat
        moves = [event for event in events if isinstance(event, MovePlayed) and event.seat is not None]
        for is_own in (False, True):
            happened = [self._spelt(move.text) for move in moves if (move.seat == seat) is is_own]
            heard = [self._spelt(told.text) for told in self.told if isinstance(told, Moved) and told.is_own is is_own]
            if is_own and not heard:
                continue
            # A client that came back may have been told of the moves before, too.
            since = heard[max(0, len(heard) - len(happened)) :] if isinstance(shown[0], MatchShown) else heard
            trail.require(
                since == happened,
                f"{'the own' if is_own else 'the opponent'}'s moves were {happened}, and the client was told {heard}; "
                "render each MovePlayed once",
            )
        (ended,) = [event for event in events if isinstance(event, GameEnded)][-1:]
        result = "draw" if not ended.winners else "win" if seat in ended.winners else "loss"
        results = [told.result for told in self.told if isinstance(told, Over)]
        trail.require(
            results[-1:] == [result], f"the game was a {result}, and the client was told {results}; render GameEnded"
        )

    def _spelt(self, text: str) -> str:
        try:
            return self.game.write_move(self.game.read_move(text))
        except ValueError:
            return text


@define
class Matches:
    """Plays matches. `connect` makes a connection to a hall."""

    connect: Callable[[Hall], KitConnection]
    games: tuple[Game[Any], ...]
    chance: random.Random

    def check_match(self, game: Game[Any], *, drops: bool = False) -> None:
        """A whole match against a text player; with `drops` the connection is lost after two moves."""
        hall = Hall(self.games)
        rival = TextPlayer(hall, RIVAL)
        player = self._seeking(hall, PLAYER, game)
        hall.do(Seek(rival.session, game.name))
        self._require_match(player)
        for number in range(MOVES_MAX):
            if drops and number == DROP_AFTER:
                player = self._returned(player)
            match = hall.match_of(rival.session)
            if match is None:
                player.check_account()
                return
            self._act(player, rival, match)
        player.one.trail.fail(f"no end after {MOVES_MAX} moves")

    def check_secrets(self) -> None:
        """Check with two players that the one who has not chosen cannot read the other's choice."""
        hall = Hall(self.games)
        players = [self._seeking(hall, name, SECRET_GAME) for name in (PLAYER, RIVAL)]
        self._require_match(players[0])
        while hall.match_of(players[0].one.session) is not None:
            first, second = self.chance.sample(players, 2)
            words = self.chance.sample(WORDS, 2)
            for player in players:
                player.read()
            first.move(words[0])
            second.one.trail.steps.append(f"(the opponent chooses {words[0]})")
            self._require_hidden(second, words[0])
            second.move(words[1])
        for player in players:
            player.check_account()

    def _seeking(self, hall: Hall, name: str, game: Game[Any]) -> KitPlayer:
        """A player who has logged in and looks for an opponent."""
        player = KitPlayer(self.connect(hall), name, game)
        player.one.log_in(name)
        assert player.speaker.find is not None, "asked by the caller"
        player.one.trail.steps.append(f"find({game.name!r})")
        player.one.receive(player.speaker.find(game.name))
        return player

    def _require_match(self, player: KitPlayer) -> None:
        one = player.one
        match = one.hall.match_of(one.session)
        if match is None or not match.turn.seats:
            one.trail.fail(
                f"two look for an opponent at {player.game.name}, and no game began; let find() end in Seek, or in Sit "
                f"and Ready. The client was told {shown(one.said[-400:])}"
            )

    def _require_hidden(self, player: KitPlayer, word: str) -> None:
        said = bytes(player.one.said[player.unread :])
        player.one.trail.require(
            word.encode() not in said,
            f"the client is told {shown(said)}, and the opponent's move {word!r} is hidden yet; "
            "say MovePlayed.text, which is for this player, and keep nothing that other connections can see",
        )

    def _act(self, player: KitPlayer, rival: TextPlayer, match: Match) -> None:
        """Make a move for the player who is to act."""
        seat = self.chance.choice(match.turn.seats)
        move = self.chance.choice(match.state.legal_moves(seat))
        text = match.game.write_move(move)
        player.read()
        if match.seats[seat].session != rival.session:
            player.move(text)
            return
        player.one.trail.steps.append(f"(the opponent plays {text})")
        answer = player.one.hall.do(Play(rival.session, text))
        assert not isinstance(answer, Rejected), answer

    def _returned(self, player: KitPlayer) -> KitPlayer:
        """The player on a new connection."""
        hall, come_back = player.one.hall, player.speaker.come_back
        assert come_back is not None, "asked by the caller"
        hall.do(Leave(player.one.session))
        player.one.ended = "lost"
        again = KitPlayer(self.connect(hall), player.name, player.game)
        again.one.trail.steps += [*player.one.trail.steps, "(the connection is lost)", f"come_back({PLAYER!r})"]
        again.one.receive(come_back(PLAYER))
        again.one.trail.require(
            hall.match_of(again.one.session) is not None,
            "the player does not have the seat back; name the same player in Enter, or set come_back=None. "
            f"The client was told {shown(again.one.said)}",
        )
        return again
