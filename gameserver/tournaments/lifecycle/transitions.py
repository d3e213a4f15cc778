"""The life of a tournament as a table: which act is possible in which phase, and what does it.

    gathering --start--> running <--pause, resume--> paused
                         running --finish--> finishing --last match ends--> over --resume--> running
                         running --all is played--> over --void--> running

What is not in the table is refused with a sentence; a refused act leaves the tournament as it was. Two
steps happen by themselves after any act (`_settled`): what is played to its end is over, and so is what
was to finish once nothing is being played any more.
"""

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from gameserver.tournaments.acts import (
    Act,
    ActRefused,
    Begin,
    Cancel,
    Correct,
    Disqualify,
    EndByTime,
    Finish,
    HoldPairing,
    NoShow,
    Pair,
    Pause,
    RegisterEntrant,
    Report,
    Resume,
    StartTournament,
    VoidPairing,
    WithdrawEntrant,
)
from gameserver.tournaments.lifecycle import entrants, phases, results
from gameserver.tournaments.model import Status, Tournament, TournamentPhase
from gameserver.tournaments.pairing.planner import is_complete

Handler = Callable[[Tournament, Any], Tournament]

_PEOPLE: dict[type[Act], Handler] = {WithdrawEntrant: entrants.withdraw, Disqualify: entrants.disqualify}
_RESULTS: dict[type[Act], Handler] = {
    Report: results.report,
    VoidPairing: results.void,
    HoldPairing: results.hold,
    Correct: results.correct,
}
_CANCEL: dict[type[Act], Handler] = {Cancel: phases.cancel}

TRANSITIONS: Mapping[TournamentPhase, Mapping[type[Act], Handler]] = {
    TournamentPhase.GATHERING: {
        RegisterEntrant: entrants.enter,
        WithdrawEntrant: entrants.withdraw,
        StartTournament: entrants.start,
        **_CANCEL,
    },
    TournamentPhase.RUNNING: {
        RegisterEntrant: entrants.enter,
        **_PEOPLE,
        Pair: results.pair,
        Begin: results.begin,
        NoShow: results.no_show,
        **_RESULTS,
        Pause: phases.pause,
        Finish: phases.finish,
        EndByTime: phases.time_up,
        **_CANCEL,
    },
    TournamentPhase.PAUSED: {
        RegisterEntrant: entrants.enter,
        **_PEOPLE,
        **_RESULTS,
        Resume: phases.resume,
        Finish: phases.finish,
        **_CANCEL,
    },
    TournamentPhase.FINISHING: {**_PEOPLE, **_RESULTS, Resume: phases.resume, **_CANCEL},
    TournamentPhase.OVER: {
        Disqualify: entrants.disqualify,
        VoidPairing: results.void,
        Correct: results.correct,
        Resume: phases.resume,
    },
    TournamentPhase.CANCELLED: {},
}
"""What can be done when."""

_WORDS = {
    RegisterEntrant: "let anybody in",
    WithdrawEntrant: "take anybody out",
    Disqualify: "disqualify anybody",
    StartTournament: "start",
    Pair: "pair",
    Begin: "begin a match",
    Report: "take a result",
    NoShow: "count anybody as absent",
    VoidPairing: "void a match",
    HoldPairing: "hold a match",
    Correct: "correct a result",
    Pause: "pause",
    Resume: "resume",
    Finish: "finish",
    EndByTime: "run out of time",
    Cancel: "be cancelled",
}
_IS = {
    TournamentPhase.GATHERING: "has not started yet",
    TournamentPhase.RUNNING: "is running",
    TournamentPhase.PAUSED: "is paused",
    TournamentPhase.FINISHING: "is finishing what is being played",
    TournamentPhase.OVER: "is over",
    TournamentPhase.CANCELLED: "was cancelled",
}


def apply(tournament: Tournament, act: Act) -> Tournament:
    """The tournament after this act; `ActRefused` says why it is not possible."""
    handler = TRANSITIONS[tournament.phase].get(type(act))
    if handler is None:
        raise ActRefused(f"{tournament.plan.name} {_IS[tournament.phase]} and cannot {_WORDS[type(act)]} now")
    was_complete = tournament.phase is TournamentPhase.OVER and is_complete(tournament)
    after = handler(tournament, act)
    if was_complete and not is_complete(after):
        after = attrs.evolve(after, phase=TournamentPhase.RUNNING)
    return _settled(after)


def _settled(tournament: Tournament) -> Tournament:
    if tournament.phase is TournamentPhase.RUNNING and is_complete(tournament):
        return attrs.evolve(tournament, phase=TournamentPhase.OVER)
    undecided = any(one.status in (Status.PLAYING, Status.HELD) for one in tournament.pairings)
    if tournament.phase is TournamentPhase.FINISHING and not undecided:
        return attrs.evolve(
            phases.without_open(tournament, "the tournament stopped before"), phase=TournamentPhase.OVER
        )
    return tournament
