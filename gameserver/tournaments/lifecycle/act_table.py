"""The life of a tournament as a table: every act with the phases in which it is possible and what does it.

    gathering --start--> running <--pause, resume--> paused
                         running --finish--> finishing --last match ends--> over --resume--> running
                         running --all is played--> over --void--> running
    any but over --cancel--> cancelled --resume--> running, or gathering if it had not started

An act outside its phases is refused with a sentence; a refused act leaves the tournament as it was. Two
steps happen by themselves after any act (`_settled`): what is played to its end is over, and so is what
was to finish once nothing is being played any more.
"""

import attrs

from gameserver.tournaments import acts
from gameserver.tournaments.acts import Act, ActRefused
from gameserver.tournaments.lifecycle import course, entrants, results
from gameserver.tournaments.lifecycle.act_spec import PAIRING, PLAYER, RATING, VERDICT, ActSpec, TeacherAct
from gameserver.tournaments.model import PairingStatus, Tournament, TournamentPhase
from gameserver.tournaments.pairing.planner import is_complete

GATHERING, RUNNING, PAUSED, FINISHING, OVER, CANCELLED = TournamentPhase
_BEGUN = (RUNNING, PAUSED, FINISHING)

ACTS: dict[str, ActSpec] = {
    "start": TeacherAct(
        type=acts.StartTournament,
        tag="start",
        handler=entrants.start,
        phases=(GATHERING,),
        cannot="start",
        button="Start",
        help="Make the draw, and begin.",
        done="The draw is made, and play begins.",
        done_holds_in=(RUNNING,),
        done_to="{name} begins with {players} players",
    ),
    "pause": TeacherAct(
        type=acts.Pause,
        tag="pause",
        handler=course.pause,
        phases=(RUNNING,),
        cannot="pause",
        button="Pause",
        help="Start no new matches; those in progress go on.",
        done="No new matches start; those in progress go on.",
        done_holds_in=(PAUSED,),
        done_to="{name} is paused",
    ),
    "resume": TeacherAct(
        type=acts.Resume,
        tag="resume",
        handler=course.resume,
        phases=(PAUSED, FINISHING, OVER, CANCELLED),
        cannot="resume",
        button="Resume",
        help="Go on after a pause, a stop or a cancellation.",
        done="The tournament goes on.",
        done_holds_in=(GATHERING, RUNNING),
        done_to="{name} goes on",
    ),
    "finish": TeacherAct(
        type=acts.Finish,
        tag="finish",
        handler=course.finish,
        phases=(RUNNING, PAUSED),
        cannot="finish",
        button="Finish these matches, then stop",
        help="Let the running matches end, then stop.",
        done="It stops as soon as the running matches are over.",
        done_holds_in=(FINISHING, OVER),
        done_to="{name} stops after {playing} matches",
    ),
    "cancel": TeacherAct(
        type=acts.Cancel,
        tag="cancel",
        handler=course.cancel,
        phases=(GATHERING, *_BEGUN),
        cannot="be cancelled",
        needs_why=True,
        is_destructive=True,
        button="Cancel the tournament",
        help="End at once. Results stay on record, and `resume` takes it up again.",
        done="The tournament is cancelled. Its results stay on record, and Resume takes it up again.",
        done_holds_in=(CANCELLED,),
        done_to="{name} was cancelled",
    ),
    "add": TeacherAct(
        type=acts.RegisterEntrant,
        tag="enter",
        handler=entrants.enter,
        phases=(GATHERING, RUNNING, PAUSED),
        cannot="admit players",
        fields=(PLAYER, RATING),
        button="Add",
        help="Add a player, even after the start or after being dropped.",
        done="The player was added.",
        done_to="{player} takes part in {name}",
    ),
    "drop": TeacherAct(
        type=acts.WithdrawEntrant,
        tag="withdraw",
        handler=entrants.withdraw,
        phases=(GATHERING, *_BEGUN),
        cannot="drop players",
        fields=(PLAYER,),
        needs_why=True,
        is_destructive=True,
        button="Drop",
        help="Withdraw a player; the plan says what happens to the results.",
        done="The player was dropped.",
        done_to="{player} is out of {name}",
    ),
    "disqualify": TeacherAct(
        type=acts.Disqualify,
        tag="disqualify",
        handler=entrants.disqualify,
        phases=(*_BEGUN, OVER),
        cannot="disqualify players",
        fields=(PLAYER,),
        needs_why=True,
        is_destructive=True,
        button="Disqualify",
        help="Disqualify a player for good.",
        done="The player is disqualified.",
        done_to="{player} is disqualified from {name}",
    ),
    "correct": TeacherAct(
        type=acts.Correct,
        tag="correct",
        handler=results.correct,
        phases=(*_BEGUN, OVER),
        cannot="correct a result",
        fields=(PAIRING, VERDICT),
        needs_why=True,
        is_destructive=True,
        button="Correct the result",
        help="Set a result by hand: who won, by seat.",
        done="The result is corrected.",
        done_to="pairing {pairing} of {name} counts as: {verdict}",
    ),
    "void": TeacherAct(
        type=acts.VoidPairing,
        tag="void",
        handler=results.void,
        phases=(*_BEGUN, OVER),
        cannot="void a match",
        fields=(PAIRING,),
        needs_why=True,
        is_destructive=True,
        button="Annul and replay",
        help="Annul a game and have it played again; in an arena it is not played again. "
        "`gameserver tournament status` shows the numbers.",
        done="The game is annulled; it is played again, unless this is an arena.",
        done_to="pairing {pairing} of {name} is annulled; it is played again, unless this is an arena",
    ),
    "pair": ActSpec(type=acts.Pair, tag="pair", handler=results.pair, phases=(RUNNING,), cannot="pair"),
    "begin": ActSpec(
        type=acts.Begin,
        tag="begin",
        handler=results.begin,
        phases=(RUNNING,),
        cannot="begin a match",
        is_lobbys_own=True,
    ),
    "report": ActSpec(
        type=acts.Report,
        tag="report",
        handler=results.report,
        phases=_BEGUN,
        cannot="take a result",
        is_lobbys_own=True,
    ),
    "hold": ActSpec(
        type=acts.HoldPairing,
        tag="hold",
        handler=results.hold,
        phases=_BEGUN,
        cannot="hold a match",
        is_lobbys_own=True,
    ),
    "no-show": ActSpec(
        type=acts.NoShow,
        tag="no-show",
        handler=results.no_show,
        phases=(RUNNING,),
        cannot="count anybody as absent",
        is_lobbys_own=True,
    ),
    "time-up": ActSpec(
        type=acts.EndByTime,
        tag="time-up",
        handler=course.time_up,
        phases=(RUNNING,),
        cannot="run out of time",
        is_lobbys_own=True,
    ),
}
"""Every act, by its name in the API, the pages and the commands."""

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
    spec = spec_of(act)
    if tournament.phase not in spec.phases:
        raise ActRefused(impossible_now(spec, tournament.plan.name, tournament.phase))
    was_complete = tournament.phase is TournamentPhase.OVER and is_complete(tournament)
    after = spec.handler(tournament, act)
    if was_complete and not is_complete(after):
        after = attrs.evolve(after, phase=TournamentPhase.RUNNING)
    return _settled(after)


def impossible_now(spec: ActSpec, name: str, phase: TournamentPhase) -> str:
    """The refusal of an act in a phase in which it is not possible; `name` is the tournament's."""
    return f"{name} {_IS[phase]} and cannot {spec.cannot} now"


def _settled(tournament: Tournament) -> Tournament:
    if tournament.phase is TournamentPhase.RUNNING and is_complete(tournament):
        return attrs.evolve(tournament, phase=TournamentPhase.OVER)
    if tournament.phase is TournamentPhase.FINISHING and not _has_undecided(tournament):
        return attrs.evolve(
            course.without_open(tournament, "the tournament stopped before"), phase=TournamentPhase.OVER
        )
    return tournament


def _has_undecided(tournament: Tournament) -> bool:
    return any(one.status in (PairingStatus.PLAYING, PairingStatus.HELD) for one in tournament.pairings)


def spec_of(act: Act) -> ActSpec:
    """The row of an act."""
    return next(spec for spec in ACTS.values() if spec.type is type(act))


def teacher_acts() -> dict[str, TeacherAct]:
    """The acts that a teacher may ask for, by name."""
    return {name: spec for name, spec in ACTS.items() if isinstance(spec, TeacherAct)}
