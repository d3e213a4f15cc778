"""The contract for matches: a player of the protocol plays whole ones, and reconnects."""

import random
from collections.abc import Callable
from typing import Any

from attrs import define

from gameserver.core.match import Match
from gameserver.game import Game
from gameserver.protocol import Leave, Rejected
from gameserver.testing.protocol_kit.connection import KitConnection, shown
from gameserver.testing.protocol_kit.hall import Hall, House, Rival, TextPlayer
from gameserver.testing.protocol_kit.player import KitPlayer
from gameserver.testing.protocol_kit.secret_game import SECRET_GAME, WORDS

PLAYER, RIVAL = "ann", "tim"
MOVES_MAX = 10_000
MATCHES_MAX = 3
MOVES_ENOUGH = 100
DROP_AFTER = 2
CHOICES_MAX = 1_000
"""Moves that are drawn to find one that the driver says."""
SHORT_MATCHES_MAX = 20
"""Matches that may be over before a connection is lost, as where a double is declined."""


@define
class Matches:
    """Plays matches. `connect` makes a connection to a hall."""

    connect: Callable[[Hall], KitConnection]
    games: tuple[Game[Any], ...]
    chance: random.Random

    def check_matches(self, game: Game[Any]) -> None:
        """Some whole matches against a text player, or the house; one where it is long."""
        moves = 0
        for _ in range(MATCHES_MAX):
            moves += self._play(self._seeking(Hall(self.games), PLAYER, game), drop_after=None)
            if moves >= MOVES_ENOUGH:
                return

    def check_return(self, game: Game[Any]) -> None:
        """A match in which the connection is lost after two moves, where the protocol has a way back."""
        for _ in range(SHORT_MATCHES_MAX):
            player = self._seeking(Hall(self.games), PLAYER, game)
            if not player.driver.comes_back or self._play(player, drop_after=DROP_AFTER) > DROP_AFTER:
                return

    def _play(self, player: KitPlayer, drop_after: int | None) -> int:
        """Play a match to its end; the number of moves."""
        number = 0
        rival = House(player.hall) if player.one.speaker.meets_house else TextPlayer(player.hall, RIVAL)
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
            player.one.trail.require(number < MOVES_MAX, f"no end after {MOVES_MAX} moves")

    def check_secrets(self) -> None:
        """Check with two players that the one who has not chosen cannot read the other's choice."""
        hall = Hall(self.games)
        players = [self._seeking(hall, name, SECRET_GAME) for name in (PLAYER, RIVAL)]
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

    def _seeking(self, hall: Hall, name: str, game: Game[Any]) -> KitPlayer:
        """A player who has logged in and looks for an opponent."""
        one = self.connect(hall)
        if one.speaker.driver is None:
            one.log_in(name)
        player = KitPlayer(one, name, game)
        one.trail.steps.append(f"find({game.name!r})")
        player.driver.find(game.name)
        return player

    def _require_match(self, player: KitPlayer) -> None:
        player.read()
        match = player.match
        if match is None or not match.turn.seats:
            player.one.trail.fail(
                f"two look for an opponent at {player.game.name}, and no game began; let find() end in Seek, or in Sit "
                f"and Ready. The client was told {shown(player.one.said[-400:])}"
            )

    def _act(self, player: KitPlayer, rival: Rival, match: Match) -> None:
        """Make a move for the player who is to act."""
        one = player.one
        if not match.turn.seats:
            one.trail.fail(f"the match has another game, and it does not begin; say Ready. {player.last_told}")
        seat = self.chance.choice(match.turn.seats)
        moves = match.state.legal_moves(seat)
        if match.seats[seat].session == one.session:
            texts = (match.game.write_move(self.chance.choice(moves)) for _ in range(CHOICES_MAX))
            text = next((text for text in texts if player.driver.says(text)), None)
            if text is None:
                one.trail.fail(f"the driver says none of {CHOICES_MAX} legal moves; let says() be True for some")
            player.move(text)
            return
        text = match.game.write_move(self.chance.choice(moves))
        one.trail.steps.append(f"(the opponent plays {text})")
        answer = rival.play(match, seat, text)
        assert not isinstance(answer, Rejected), answer

    def _returned(self, player: KitPlayer) -> KitPlayer:
        """The player on a new connection."""
        one = player.one
        one.ended = "lost"
        player.hall.do(Leave(one.session))
        again = KitPlayer(self.connect(player.hall), player.name, player.game)
        again.one.trail.steps += [*one.trail.steps, "(the connection is lost)", f"come_back({PLAYER!r})"]
        again.driver.come_back(player.driver)
        again.one.trail.require(
            again.match is not None,
            "the player does not have the seat back; name the same player in Enter, or set come_back=None. "
            f"The client was told {shown(again.one.said)}",
        )
        return again
