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
    Enter,
    Finish,
    Hold,
    NoShow,
    Pair,
    Pause,
    Report,
    Resume,
    Start,
    TimeUp,
    Void,
    Withdraw,
)
from gameserver.tournaments.lifecycle import entrants, phases, results
from gameserver.tournaments.model import Phase, Status, Tournament
from gameserver.tournaments.pairing.planner import is_complete

Handler = Callable[[Tournament, Any], Tournament]

_PEOPLE: dict[type[Act], Handler] = {Withdraw: entrants.withdraw, Disqualify: entrants.disqualify}
_RESULTS: dict[type[Act], Handler] = {
    Report: results.report,
    Void: results.void,
    Hold: results.hold,
    Correct: results.correct,
}
_CANCEL: dict[type[Act], Handler] = {Cancel: phases.cancel}

TRANSITIONS: Mapping[Phase, Mapping[type[Act], Handler]] = {
    Phase.GATHERING: {Enter: entrants.enter, Withdraw: entrants.withdraw, Start: entrants.start, **_CANCEL},
    Phase.RUNNING: {
        Enter: entrants.enter,
        **_PEOPLE,
        Pair: results.pair,
        Begin: results.begin,
        NoShow: results.no_show,
        **_RESULTS,
        Pause: phases.pause,
        Finish: phases.finish,
        TimeUp: phases.time_up,
        **_CANCEL,
    },
    Phase.PAUSED: {
        Enter: entrants.enter,
        **_PEOPLE,
        **_RESULTS,
        Resume: phases.resume,
        Finish: phases.finish,
        **_CANCEL,
    },
    Phase.FINISHING: {**_PEOPLE, **_RESULTS, Resume: phases.resume, **_CANCEL},
    Phase.OVER: {
        Disqualify: entrants.disqualify,
        Void: results.void,
        Correct: results.correct,
        Resume: phases.resume,
    },
    Phase.CANCELLED: {},
}
"""What can be done when."""

_WORDS = {
    Enter: "let anybody in",
    Withdraw: "take anybody out",
    Disqualify: "disqualify anybody",
    Start: "start",
    Pair: "pair",
    Begin: "begin a match",
    Report: "take a result",
    NoShow: "count anybody as absent",
    Void: "void a match",
    Hold: "hold a match",
    Correct: "correct a result",
    Pause: "pause",
    Resume: "resume",
    Finish: "finish",
    TimeUp: "run out of time",
    Cancel: "be cancelled",
}
_IS = {
    Phase.GATHERING: "has not started yet",
    Phase.RUNNING: "is running",
    Phase.PAUSED: "is paused",
    Phase.FINISHING: "is finishing what is being played",
    Phase.OVER: "is over",
    Phase.CANCELLED: "was cancelled",
}


def apply(tournament: Tournament, act: Act) -> Tournament:
    """The tournament after this act; `ActRefused` says why it is not possible."""
    handler = TRANSITIONS[tournament.phase].get(type(act))
    if handler is None:
        raise ActRefused(f"{tournament.plan.name} {_IS[tournament.phase]} and cannot {_WORDS[type(act)]} now")
    was_complete = tournament.phase is Phase.OVER and is_complete(tournament)
    after = handler(tournament, act)
    if was_complete and not is_complete(after):
        after = attrs.evolve(after, phase=Phase.RUNNING)
    return _settled(after)


def _settled(tournament: Tournament) -> Tournament:
    if tournament.phase is Phase.RUNNING and is_complete(tournament):
        return attrs.evolve(tournament, phase=Phase.OVER)
    undecided = any(one.status in (Status.PLAYING, Status.HELD) for one in tournament.pairings)
    if tournament.phase is Phase.FINISHING and not undecided:
        return attrs.evolve(phases.without_open(tournament, "the tournament stopped before"), phase=Phase.OVER)
    return tournament
