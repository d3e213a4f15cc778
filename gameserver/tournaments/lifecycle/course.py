"""Acts upon the course: pause, resume, finish, cancel, and the end of an arena's time."""

from collections.abc import Mapping

import attrs

from gameserver.tournaments.acts import SERVER, ActRefused, Cancel, EndByTime, Finish, Pause, Resume
from gameserver.tournaments.model import PairingStatus, Ruling, Tournament, TournamentPhase
from gameserver.tournaments.pairing.planner import is_complete


def pause(tournament: Tournament, act: Pause) -> Tournament:
    """Begin nothing new. An arena's time stands still."""
    return _noted(attrs.evolve(_clock_held(tournament, act.now_ms), phase=TournamentPhase.PAUSED), act)


def resume(tournament: Tournament, act: Resume) -> Tournament:
    """Go on where it stopped. A tournament that was cancelled before its start gathers again."""
    if tournament.phase is TournamentPhase.CANCELLED and not any(entrant.number for entrant in tournament.entrants):
        return _noted(attrs.evolve(tournament, phase=TournamentPhase.GATHERING), act)
    if tournament.phase is TournamentPhase.OVER and is_complete(tournament):
        raise ActRefused("this tournament has been played to its end; void a match to have it played again")
    ends_ms = act.now_ms + tournament.left_ms if tournament.left_ms else tournament.ends_ms
    return _noted(attrs.evolve(tournament, phase=TournamentPhase.RUNNING, ends_ms=ends_ms, left_ms=0), act)


def finish(tournament: Tournament, act: Finish) -> Tournament:
    """Stop once what is being played has ended."""
    return _noted(attrs.evolve(_clock_held(tournament, act.now_ms), phase=TournamentPhase.FINISHING), act)


def time_up(tournament: Tournament, act: EndByTime) -> Tournament:
    """End an arena whose time is over."""
    if tournament.ends_ms is None or act.now_ms < tournament.ends_ms:
        return tournament
    return attrs.evolve(tournament, phase=TournamentPhase.FINISHING, ends_ms=None, left_ms=0)


def cancel(tournament: Tournament, act: Cancel) -> Tournament:
    """End at once; what is open is not played unless the tournament is resumed."""
    held = _clock_held(tournament, act.now_ms)
    stopped = without_open(held, "the tournament was cancelled")
    return attrs.evolve(stopped, phase=TournamentPhase.CANCELLED, ends_ms=None).ruled(
        Ruling("cancelled", act.by, act.why)
    )


def without_open(tournament: Tournament, why: str) -> Tournament:
    """Void what is announced or being played."""
    pairings = tuple(
        attrs.evolve(pairing, status=PairingStatus.VOID, reason=why) if pairing.is_open else pairing
        for pairing in tournament.pairings
    )
    return attrs.evolve(tournament, pairings=pairings)


def _clock_held(tournament: Tournament, now_ms: int) -> Tournament:
    if tournament.ends_ms is None:
        return tournament
    return attrs.evolve(tournament, ends_ms=None, left_ms=max(0, tournament.ends_ms - now_ms))


_WHAT: Mapping[type, str] = {Pause: "paused", Resume: "resumed", Finish: "to stop after what is being played"}


def _noted(tournament: Tournament, act: Pause | Resume | Finish) -> Tournament:
    """The tournament with what a person did on record; what the server does by itself is no ruling."""
    return tournament if act.by == SERVER else tournament.ruled(Ruling(_WHAT[type(act)], act.by, act.why))
