"""The podium of a tournament: the first three places, ties and all, with what there is to tell of each player."""

from collections.abc import Mapping

from gameserver.tournaments.output.view import PairingView, StandingView, TournamentView
from gameserver.values import value

LAST_RANK = 3


@value
class Meeting:
    """A match of a player: its opponent, and the opponent's rank, which is None for one without."""

    match: int | None
    opponent: str
    opponent_rank: int | None


@value
class PodiumPlayer:
    """A player on the podium. `best_win` is the win in play over the opponent who came furthest."""

    standing: StandingView
    best_win: Meeting | None
    matches: tuple[Meeting, ...]
    """Everything that this player played."""


@value
class PodiumStep:
    """A rank from 1 to 3 and all who share it."""

    rank: int
    players: tuple[PodiumPlayer, ...]

    @property
    def is_shared(self) -> bool:
        """True if several players have this rank."""
        return len(self.players) > 1


def podium(view: TournamentView) -> tuple[PodiumStep, ...]:
    """The steps from the first down; none before anything was decided."""
    if not any(one.result for one in view.pairings):
        return ()
    ranks = {line.name: line.rank for line in view.standings}
    steps: dict[int, list[PodiumPlayer]] = {}
    for line in view.standings:
        if line.rank is not None and line.rank <= LAST_RANK:
            steps.setdefault(line.rank, []).append(_player(line, view, ranks))
    return tuple(PodiumStep(rank, tuple(steps[rank])) for rank in sorted(steps))


def _player(line: StandingView, view: TournamentView, ranks: Mapping[str, int | None]) -> PodiumPlayer:
    own = [one for one in view.pairings if line.name in {one.first, one.second} and one.match and one.result]
    meetings = {one.number: _meeting(line.name, one, ranks) for one in own}
    won = [meetings[one.number] for one in own if one.result == ("1-0" if one.first == line.name else "0-1")]
    lowest = len(ranks) + 1
    best = min(won, key=lambda one: lowest if one.opponent_rank is None else one.opponent_rank, default=None)
    return PodiumPlayer(line, best, tuple(meetings.values()))


def _meeting(player: str, one: PairingView, ranks: Mapping[str, int | None]) -> Meeting:
    opponent = one.second if one.first == player else one.first
    return Meeting(one.match, opponent, ranks.get(opponent))
