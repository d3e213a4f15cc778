"""The stakes of each player while a tournament runs: a place on the podium, or in a knockout, staying in it."""

from collections import Counter
from collections.abc import Mapping, Sequence

from gameserver.tournaments.formats.history import History, pair_of
from gameserver.tournaments.formats.knockout import NodeNow, Part
from gameserver.tournaments.formats.round_robin import fixtures
from gameserver.tournaments.model import UNDER_WAY, PairingStatus, Tournament
from gameserver.tournaments.plan import Format
from gameserver.tournaments.scoring.standings import StandingsRow

LAST_RANK = 3
AT_RISK, CHASING = "at risk", "chasing"
IN, LAST, OUT = "in", "last", "out"


def podium_race(tournament: Tournament, rows: Sequence[StandingsRow]) -> Mapping[str, str]:
    """The players in the race for the podium.

    One win brings a player who is `CHASING` level with the last of the podium, or ahead. A place on it is `AT_RISK` if
    one win brings a chaser level with it. A player without a game left chases nobody.
    """
    if tournament.phase not in UNDER_WAY:
        return {}
    podium = [row for row in rows if row.rank is not None and row.rank <= LAST_RANK]
    if not any(row.played for row in podium):
        return {}
    in_play, win = still_to_play(tournament), tournament.plan.scoring.win
    below = [row for row in rows if row.rank is not None and row.rank > LAST_RANK and row.name in in_play]
    chasing = [row for row in below if row.points + win >= podium[-1].points]
    most = max((row.points + win for row in chasing), default=-1)
    at_risk = {row.name: AT_RISK for row in podium if row.points <= most}
    return at_risk | {row.name: CHASING for row in chasing}


def bracket_chances(tournament: Tournament, nodes: Sequence[NodeNow]) -> Mapping[str, str]:
    """The players of a knockout: `IN`, `OUT`, and `LAST` for one who has lost once where the second loss decides."""
    if tournament.phase not in UNDER_WAY:
        return {}
    still_in = {name for now in nodes if now.winner is None for name in now.players if name}
    beaten = {now.loser for now in nodes if now.node.part is not Part.LOSERS}
    has_two_lives = tournament.plan.format is Format.DOUBLE_ELIMINATION
    found = {}
    for entrant in tournament.entrants:
        if entrant.name not in still_in or entrant.is_out:
            found[entrant.name] = OUT
        else:
            found[entrant.name] = LAST if has_two_lives and entrant.name in beaten else IN
    return found


def still_to_play(tournament: Tournament) -> frozenset[str]:
    """The players who have a game to come, or are in one."""
    active = frozenset(entrant.name for entrant in tournament.active)
    if tournament.plan.has_fixtures:
        return active & _in_open_fixtures(tournament, active)
    if tournament.plan.format is Format.ARENA or tournament.round < tournament.rounds:
        return active
    last = tournament.round
    done = Counter(
        name
        for pairing in tournament.pairings
        if pairing.round == last and pairing.status is PairingStatus.DONE
        for name in pairing.seats
    )
    idle = {bye.player for bye in tournament.byes if bye.round == last}
    return frozenset(name for name in active - idle if done[name] < tournament.plan.games)


def _in_open_fixtures(tournament: Tournament, active: frozenset[str]) -> frozenset[str]:
    meetings = History.of(tournament).meetings
    found: set[str] = set()
    for fixture in fixtures(tournament):
        if found == active:
            break
        players = {fixture.first, fixture.second}
        if players <= found or not players <= active:
            continue
        taken = meetings.get(pair_of(fixture.first, fixture.second), {})
        numbers = range(fixture.from_meeting, fixture.from_meeting + tournament.plan.games)
        if any(number not in taken or taken[number].is_open for number in numbers):
            found |= players
    return frozenset(found)
