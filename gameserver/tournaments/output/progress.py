"""Progress of a tournament: games played, games left, and so the time that it will still take."""

from collections import Counter
from collections.abc import Callable, Mapping

from gameserver.tournaments.formats import knockout, round_robin
from gameserver.tournaments.formats.history import History, pair_of
from gameserver.tournaments.model import CLOSED, PairingStatus, Timing, Tournament, TournamentPhase
from gameserver.tournaments.output.longest_chain import longest_chain_ms
from gameserver.tournaments.plan import Format
from gameserver.values import value

_TO_COME = (PairingStatus.ANNOUNCED, PairingStatus.HELD)


@value
class Progress:
    """Games that have a result, those being played, and those still to come; `left` is None where nobody can tell.

    In a knockout, and where a Swiss has byes, `left` is what is to be expected rather than what is sure.
    """

    done: int
    playing: int
    left: int | None

    @property
    def share(self) -> float | None:
        """The part of the whole that is done, from 0 to 1."""
        if self.left is None:
            return None
        whole = self.done + self.playing + self.left
        return self.done / whole if whole else 1.0


def progress(tournament: Tournament) -> Progress:
    """Count the games of a tournament. No-shows and walkovers are done like games."""
    done = sum(pairing.status is PairingStatus.DONE for pairing in tournament.pairings)
    playing = sum(pairing.status is PairingStatus.PLAYING for pairing in tournament.pairings)
    if tournament.phase in CLOSED:
        return Progress(done, playing, 0)
    if tournament.phase is TournamentPhase.GATHERING:
        return Progress(0, 0, None)
    return Progress(done, playing, _LEFT[tournament.plan.format](tournament, playing))


def least_done(tournament: Tournament) -> int:
    """The number of games that every player who is in has behind them.

    It grows steadily where rounds overlap. The numbers of rounds do not: a player who waits is given any opponent who
    is free, so with 24 players the last rounds have begun before an eighth of the games is done.
    """
    done = dict.fromkeys((entrant.name for entrant in tournament.active if not entrant.house), 0)
    for pairing in tournament.pairings:
        if pairing.status is PairingStatus.DONE:
            for name in pairing.seats:
                if name in done:
                    done[name] += 1
    return min(done.values(), default=0)


def left_ms(tournament: Tournament, timing: Timing) -> int | None:
    """The time that it will still take, at the pace so far; None where that cannot be told yet, or nothing runs.

    That is the time for the longest chain of games of a player. House players have many games at once, so where they
    take part it is no shorter than the time for all games at the mean pace.
    """
    if tournament.phase is not TournamentPhase.RUNNING:
        return None
    if tournament.ends_ms is not None:
        return max(0, tournament.ends_ms - timing.now_ms)
    so_far = progress(tournament)
    if so_far.left is None or so_far.done == 0:
        return None
    chain_ms = longest_chain_ms(tournament, timing)
    if not tournament.house_names:
        return chain_ms
    waits = Counter(name for pairing in tournament.pairings if pairing.absent for name in pairing.seats)
    played_ms = max(0, timing.ran_ms - max(waits.values(), default=0) * tournament.plan.no_show_ms)
    return max(chain_ms, played_ms * (so_far.left + so_far.playing) // so_far.done)


def _fixtures_left(tournament: Tournament, playing: int) -> int:
    history = History.of(tournament)
    out = {entrant.name for entrant in tournament.entrants if entrant.is_out}
    games, left = tournament.plan.games, 0
    for fixture in round_robin.fixtures(tournament):
        if fixture.first in out or fixture.second in out:
            continue
        taken = history.meetings.get(pair_of(fixture.first, fixture.second), {})
        meetings = range(fixture.from_meeting, fixture.from_meeting + games)
        left += sum(number not in taken or taken[number].status in _TO_COME for number in meetings)
    return left


def _rounds_left(tournament: Tournament, playing: int) -> int:
    games = tournament.plan.games
    boards = len(tournament.active) // 2
    paired = {(one.round, one.board, one.game) for one in tournament.pairings if one.status is not PairingStatus.VOID}
    encounters = {(number, board) for number, board, _ in paired}
    unpaired = len(encounters) * games - len(paired)
    announced = sum(one.status in _TO_COME for one in tournament.pairings)
    return (tournament.rounds - tournament.round) * boards * games + unpaired + announced


def _nodes_left(tournament: Tournament, playing: int) -> int:
    games = tournament.plan.games
    left = 0
    for now in knockout.nodes_now(History.of(tournament)):
        if now.winner is None and not now.node.decider:
            played = sum(pairing.status is PairingStatus.DONE for pairing in now.games)
            left += max(1, games - played)
    return max(0, left - playing)


def _nobody_knows(tournament: Tournament, playing: int) -> None:
    return None


_LEFT: Mapping[Format, Callable[[Tournament, int], int | None]] = {
    Format.ROUND_ROBIN: _fixtures_left,
    Format.GAUNTLET: _fixtures_left,
    Format.SWISS: _rounds_left,
    Format.KNOCKOUT: _nodes_left,
    Format.DOUBLE_ELIMINATION: _nodes_left,
    Format.ARENA: _nobody_knows,
}
