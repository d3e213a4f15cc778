"""An arena beside its standings: the time that is left, and the players who win game after game."""

from gameserver.tournaments.model import Tournament, TournamentPhase
from gameserver.tournaments.plan import Format
from gameserver.tournaments.scoring.scores import WIN, Ledger, ScoreShare
from gameserver.tournaments.scoring.tie_breaks import in_units
from gameserver.values import value

STREAK_WINS_MIN = 2
"""One win is no streak."""


@value
class StreakView:
    """The games that a player has won in play since any other result, and the points that they brought."""

    player: str
    wins: int
    points: str


@value
class ArenaView:
    """The parts of a tournament's view that only an arena has."""

    ends_ms: int | None
    """The end, on the server's axis of time; None while the arena's clock stands."""
    left_ms: int
    """The time left when the view was made."""
    worth: tuple[str, str, str]
    """The points for a win, a draw and a loss."""
    streaks: tuple[StreakView, ...]
    """The longest first."""


def arena_view(tournament: Tournament, now_ms: int) -> ArenaView | None:
    """An arena; None for a tournament of another format."""
    plan = tournament.plan
    if plan.format is not Format.ARENA:
        return None
    scoring = plan.scoring
    return ArenaView(
        ends_ms=tournament.ends_ms,
        left_ms=_left_ms(tournament, now_ms),
        worth=(
            in_units(scoring.win, scoring.unit),
            in_units(scoring.draw, scoring.unit),
            in_units(scoring.loss, scoring.unit),
        ),
        streaks=_streaks(tournament),
    )


def _left_ms(tournament: Tournament, now_ms: int) -> int:
    if tournament.phase is TournamentPhase.GATHERING:
        return tournament.plan.duration_ms
    if tournament.ends_ms is None:
        return tournament.left_ms
    return max(0, tournament.ends_ms - now_ms)


def _streaks(tournament: Tournament) -> tuple[StreakView, ...]:
    scoring, shares = tournament.plan.scoring, Ledger.of(tournament).shares
    wins = {entrant.name: _wins_running(shares[entrant.name]) for entrant in tournament.active}
    return tuple(
        StreakView(name, wins[name], in_units(wins[name] * scoring.win, scoring.unit))
        for name in sorted(wins, key=lambda name: -wins[name])
        if wins[name] >= STREAK_WINS_MIN
    )


def _wins_running(shares: tuple[ScoreShare, ...]) -> int:
    """The games won since any other result. A win because the opponent did not come neither counts nor ends them."""
    count = 0
    for share in reversed(shares):
        if share.halves != WIN:
            break
        count += share.seat is not None
    return count
