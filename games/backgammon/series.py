"""Matches as the lobby plays them: each game comes with its options, above all who begins it."""

from collections.abc import Sequence
from typing import Any, Self

from attrs import evolve, frozen

from games.backgammon.match import MATCH_KINDS, Length, MatchScore
from games.backgammon.options import GameOptions
from gameserver.game import Game, Outcome, Seat, Series


@frozen
class MatchSeries(Series):
    """A match between two of its games. `games` are played in turns, as the match's kind has them."""

    score: MatchScore
    games: tuple[Game[Any], ...]
    options: GameOptions
    """Those of the whole match."""

    @property
    def next_game(self) -> tuple[Game[Any], GameOptions] | None:
        """The next game and its first player: given by the options for the first game, then the last winner."""
        if self.score.is_over:
            return None
        played, options = len(self.score.rounds), self.options
        return self.games[played % len(self.games)], GameOptions(
            starter=self.score.next_starter if played else options.starter,
            plays_opening_dice=options.plays_opening_dice,
            by_hand=options.by_hand,
        )

    def after(self, outcome: Outcome) -> Self:
        """The match after the next game."""
        winner = outcome.winners[0] if outcome.winners else None
        points = 0 if winner is None else outcome.points[winner]
        return evolve(self, score=self.score.after(winner, points))

    def given_up(self, seat: Seat) -> Self:
        """The match, won by the other side."""
        return evolve(self, score=self.score.after_resignation(seat))

    @property
    def outcome(self) -> Outcome:
        """The points of all games, and the winner once it is over."""
        winner = self.score.winner
        return Outcome(self.score.points, () if winner is None else (winner,))


def series_of(kind: str, length: Length, games: Sequence[Game[Any]], options: GameOptions) -> MatchSeries:
    """The match before its first game."""
    return MatchSeries(MatchScore(MATCH_KINDS[kind], length), tuple(games), options)
