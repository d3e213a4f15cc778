"""The podium of a tournament: the first three places, ties and all, with what there is to tell of each player.

The final places are for lists of tournaments and for a player's page, too.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from gameserver.tournaments.model import Tournament, TournamentPhase, Verdict
from gameserver.tournaments.progress import LAST_RANK
from gameserver.tournaments.standings import HOUSE_AHEAD, StandingsRow, standings
from gameserver.tournaments.view import RESULTS, IdleRound, PairingView, TournamentView, idle_rounds
from gameserver.values import value

_WON = frozenset({RESULTS[Verdict.FIRST], RESULTS[Verdict.SECOND]})
_GIVEN = ("resigned", "late", "illegal move", "dropped")
"""The beginnings of the reasons for which a game ended before its end; others are the game's own words."""
_FINALS = frozenset({"Final", "Grand final", "Deciding final"})
"""The names of the rounds that decide a knockout, as `knockout.py` has them."""


@value
class Place:
    """A player's final place in a tournament.

    `rank` is None for one without, such as a house player; equal ranks share.
    """

    name: str
    rank: int | None
    points: str
    """Empty in a knockout, whose places do not go by points."""
    note: str = ""
    """As in the standings."""
    idle: tuple[IdleRound, ...] = ()
    """The rounds of a Swiss in which the player had no opponent."""
    absent: bool = False
    """True for a player who never came: without a game, and without a win over somebody who did not come."""

    @property
    def is_house(self) -> bool:
        """True for a house player, which takes no place."""
        return self.note in {"house", HOUSE_AHEAD}


def places(tournament: Tournament) -> tuple[Place, ...]:
    """The final places of a tournament, podium and all, from the first down; none unless it is over and had a result.

    With 30 players and 435 games that takes 4 ms.
    """
    if tournament.phase is not TournamentPhase.OVER or all(one.verdict is None for one in tournament.pairings):
        return ()
    is_bracket, idle = tournament.plan.is_bracket, idle_rounds(tournament)
    decided = [one for one in tournament.pairings if one.verdict is not None and not one.walkover]
    came = {name for one in decided for name in one.seats if name not in one.absent}
    return tuple(
        Place(
            row.name,
            row.rank,
            "" if is_bracket else row.points,
            row.note,
            tuple(one for one in idle if one.player == row.name),
            row.name not in came,
        )
        for row in standings(tournament)
    )


def winners(found: Sequence[Place]) -> tuple[str, ...]:
    """The names of all players on the first step of the podium."""
    return tuple(one.name for one in found if one.rank == 1)


def outside_words(lines: Iterable[StandingsRow | Place], *, is_bracket: bool, in_groups: bool = False) -> str:
    """A sentence for the podium about house players who came out ahead of the first place; empty if none did.

    With `in_groups` it is that of the player's own group.
    """
    ahead = [line.name for line in lines if line.note == HOUSE_AHEAD]
    if not ahead:
        return ""
    if len(ahead) > 1:
        first = "first place of their groups" if in_groups else "first place"
        return f"{', '.join(ahead[:-1])} and {ahead[-1]} came before the {first}, outside the places"
    won = "won the bracket" if is_bracket else "came first in its group" if in_groups else "came first"
    return f"{ahead[0]} {won}, outside the places"


@value
class Meeting:
    """A match of a player on the podium: the opponent, and the opponent's rank, which is None for one without."""

    match: int | None
    opponent: str
    opponent_rank: int | None


@value
class PodiumPlayer:
    """A player on the podium or a certificate. `best_win` is the win in play over the opponent who came furthest."""

    standing: StandingsRow
    best_win: Meeting | None
    matches: tuple[Meeting, ...]
    """Everything that this player played."""


@value
class PodiumStep:
    """A step of the podium: a rank from 1 to 3 and all who share it."""

    rank: int
    players: tuple[PodiumPlayer, ...]

    @property
    def is_shared(self) -> bool:
        """True if several players share this step of the podium."""
        return len(self.players) > 1


def podium(view: TournamentView) -> tuple[PodiumStep, ...]:
    """The steps of the podium from the first down; none before anything was decided."""
    if not any(one.result for one in view.pairings):
        return ()
    told = told_of(view)
    steps: dict[int, list[PodiumPlayer]] = {}
    for line in view.standings:
        if line.rank is not None and line.rank <= LAST_RANK:
            steps.setdefault(line.rank, []).append(told[line.name])
    return tuple(PodiumStep(rank, tuple(steps[rank])) for rank in sorted(steps))


def told_of(view: TournamentView) -> Mapping[str, PodiumPlayer]:
    """All that there is to tell of each player of the standings, by name, for the podium and for certificates."""
    ranks = {line.name: line.rank for line in view.standings}
    own: defaultdict[str, list[PairingView]] = defaultdict(list)
    for pairing in view.pairings:
        if pairing.match and pairing.result:
            own[pairing.first].append(pairing)
            own[pairing.second].append(pairing)
    return {line.name: _player(line, own[line.name], ranks) for line in view.standings}


def _player(line: StandingsRow, own: Sequence[PairingView], ranks: Mapping[str, int | None]) -> PodiumPlayer:
    meetings = {one.number: _meeting(line.name, one, ranks) for one in own}
    won = [meetings[one.number] for one in own if one.result == ("1-0" if one.first == line.name else "0-1")]
    lowest = len(ranks) + 1
    best = min(won, key=lambda one: lowest if one.opponent_rank is None else one.opponent_rank, default=None)
    return PodiumPlayer(line, best, tuple(meetings.values()))


def _meeting(player: str, one: PairingView, ranks: Mapping[str, int | None]) -> Meeting:
    opponent = one.second if one.first == player else one.first
    return Meeting(one.match, opponent, ranks.get(opponent))


@value
class Highlight:
    """A match of a tournament that is worth telling of: `longest match`, `fastest win` or `upset`."""

    kind: str
    first: str
    """The winner, but of the longest match, which may be a draw."""
    second: str
    match: int | None
    figure: int
    """Moves; of an upset, the points by which the loser was rated higher at the start."""


def highlights(view: TournamentView, move_counts: Mapping[int, int]) -> tuple[Highlight, ...]:
    """The matches of a tournament that are worth telling of; `move_counts` has those on record, by number.

    The fastest win is one that was played to its end: to give up or to be late is no feat of the other's.
    """
    played = [one for one in view.pairings if one.result in RESULTS.values() and one.match in move_counts]
    # Most matches of some games are of equal length: then none is the longest or the fastest.
    differ = len({move_counts[one.match or 0] for one in played}) > 1
    found = []
    if differ:
        long = max(played, key=lambda one: move_counts[one.match or 0])
        found.append(Highlight("longest match", long.first, long.second, long.match, move_counts[long.match or 0]))
    won = [one for one in played if one.result in _WON and not one.reason.startswith(_GIVEN)]
    if differ and len(won) > 1:
        fast = min(won, key=lambda one: move_counts[one.match or 0])
        found.append(Highlight("fastest win", *_winner_first(fast), fast.match, move_counts[fast.match or 0]))
    if view.upset is not None:
        number, points = view.upset
        upset = view.pairings[number - 1]
        found.append(Highlight("upset", *_winner_first(upset), upset.match, points))
    return tuple(found)


def _winner_first(one: PairingView) -> tuple[str, str]:
    return (one.second, one.first) if one.result == RESULTS[Verdict.SECOND] else (one.first, one.second)


def final_of(view: TournamentView) -> PairingView | None:
    """The last game of a knockout's final, for its replay; None before it, without one, or if it was not played."""
    games = [one for one in view.pairings if one.round_name in _FINALS and one.result]
    return games[-1] if games and games[-1].match and games[-1].result in RESULTS.values() else None
