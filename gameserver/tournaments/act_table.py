"""The life of a tournament as a table: every act with the phases in which it is possible and what does it.

    gathering --start--> running <--pause, resume--> paused
                         running --finish--> finishing --last match ends--> over --resume--> running
                         running --all is played--> over --void--> running
                         running --a stage is played--> running, the next stage
                         any of these in a later stage --void-stage--> paused, the stage before
    any but over --cancel--> cancelled --resume--> running, or gathering if it had not started

An act outside its phases is refused with a sentence; a refused act leaves the tournament as it was. Two steps happen by
themselves after any act (`_settled`): what is played to its end is over, and so is what was to finish once nothing is
being played any more.

A row of `ACTS` says what an act is called, when it is possible, and what it asks for. Everything that offers or stores
acts reads these rows. The journal takes the tag; the admin API, the teacher's forms and the command line take the
fields; the last two and the guide take the words.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import attrs

from gameserver.tournaments import model, transitions
from gameserver.tournaments.model import (
    RATING_MAX,
    TEAM_LENGTH_MAX,
    Act,
    ActRefused,
    PairingStatus,
    Tournament,
    TournamentPhase,
    Verdict,
)
from gameserver.tournaments.planner import is_complete
from gameserver.values import value

Handler = Callable[[Tournament, Any], Tournament]
"""Carries an act out: gives the tournament after it. Raises `ActRefused`."""


@value
class Choice:
    """One value of an enum in a row of the table of acts: its words in a list to choose from, and in a sentence."""

    value: str
    label: str
    words: str


@value
class ActField:
    """A field that a teacher fills in for an act of the table, such as a player; `name` is a field of the act's class.

    `kind` is `str`, `int` or an enum. `most` limits a number, or the length of a text.
    """

    name: str
    label: str
    """Its name beside an input of a form."""
    noun: str = ""
    """Its name in a sentence such as "... is a whole number"."""
    missing: str = ""
    """Tells a person who left it out what to do. Empty if it may be left out."""
    kind: type[str] | type[int] = str
    most: int | None = None
    choices: tuple[Choice, ...] = ()
    """The values of an enum."""
    help: str | None = None
    """Its help, where it is an option of a command."""

    @property
    def is_needed(self) -> bool:
        """True if an act of the table means nothing without this field."""
        return self.missing != ""

    @property
    def is_number(self) -> bool:
        """True if this field of an act is a whole number."""
        return self.kind is int

    @property
    def blank(self) -> Any:
        """The value of an act's field that was left out. None: there is none to go on with."""
        return None if issubclass(self.kind, StrEnum) else self.kind()


PLAYER = ActField("player", "Player", missing="Name the player")
RATING = ActField(
    "rating",
    "Rating for the seeding",
    "a rating",
    kind=int,
    most=RATING_MAX,
    help="For seeding by rating; by default the server's own rating.",
)
TEAM = ActField("team", "Team", most=TEAM_LENGTH_MAX, help="The name of a team; by default the roster's.")
PAIRING = ActField("pairing", "Game number", "a game's number", "Give the number of the game", kind=int)
_VERDICT = ActField(
    "verdict",
    "Right result",
    missing="Choose the right result",
    kind=Verdict,
    choices=(
        Choice(Verdict.FIRST.value, "1-0, first player won", "the first player won"),
        Choice(Verdict.SECOND.value, "0-1, second player won", "the second player won"),
        Choice(Verdict.DRAW.value, "½-½, a draw", "a draw"),
        Choice(Verdict.BOTH_LOSE.value, "0-0, both lose", "both lost"),
    ),
)
WHY = ActField("why", "Why", missing="Give a reason; it is recorded", most=500)
"""Goes with every act of a teacher; `TeacherAct.needs_why` tells whether pages and commands insist on it."""


@value(kw_only=True)
class _ActSpec:
    """An act that follows from the rules, or that the server works out."""

    type: type[Act]
    tag: str
    """Its name in journals. It never changes."""
    handler: Handler
    phases: tuple[TournamentPhase, ...]
    """The phases in which it is possible. In others it is refused."""
    cannot: str
    """Completes the refusal "The cup is over and cannot ... now"."""
    is_lobbys_own: bool = False
    """True if only the lobby can know of it, so that it is taken from nobody else."""


@value(kw_only=True)
class TeacherAct(_ActSpec):
    """A row of the table of acts: an act that a teacher may ask for, its phases, fields, button and sentences.

    Its class has `by` and `why` besides the fields here.
    """

    fields: tuple[ActField, ...] = ()
    needs_why: bool = False
    """True if it overrules a player, so that pages and commands ask for the reason."""
    is_destructive: bool = False
    """True if it takes away results or places, so that pages and commands say what is lost and ask again."""
    button: str
    help: str
    """A sentence about the act, for the command line and the guide."""
    done: str
    """The words of the teacher's page afterwards."""
    done_holds_in: tuple[TournamentPhase, ...] = ()
    """The phases in which these words are still true; empty if they are in all."""
    done_to: str
    """The words of the command line afterwards; filled with the tournament's summary and the fields."""


def _lobbys_own(
    tag: str, kind: type[Act], handler: Handler, phases: tuple[TournamentPhase, ...], cannot: str
) -> _ActSpec:
    return _ActSpec(type=kind, tag=tag, handler=handler, phases=phases, cannot=cannot, is_lobbys_own=True)


GATHERING, RUNNING, PAUSED, FINISHING, OVER, CANCELLED = TournamentPhase
_BEGUN = (RUNNING, PAUSED, FINISHING)

ACTS: dict[str, _ActSpec] = {
    "start": TeacherAct(
        type=model.StartTournament,
        tag="start",
        handler=transitions.start,
        phases=(GATHERING,),
        cannot="start",
        button="Start",
        help="Make the draw, and begin.",
        done="The draw is made, and play begins.",
        done_holds_in=(RUNNING,),
        done_to="{name} begins with {players} players",
    ),
    "pause": TeacherAct(
        type=model.Pause,
        tag="pause",
        handler=transitions.pause,
        phases=(RUNNING,),
        cannot="pause",
        button="Pause",
        help="Start no new matches; those in progress go on.",
        done="No new matches start; those in progress go on.",
        done_holds_in=(PAUSED,),
        done_to="{name} is paused",
    ),
    "resume": TeacherAct(
        type=model.Resume,
        tag="resume",
        handler=transitions.resume,
        phases=(PAUSED, FINISHING, OVER, CANCELLED),
        cannot="resume",
        button="Resume",
        help="Go on after a pause, a stop or a cancellation.",
        done="The tournament goes on.",
        done_holds_in=(GATHERING, RUNNING),
        done_to="{name} goes on",
    ),
    "finish": TeacherAct(
        type=model.Finish,
        tag="finish",
        handler=transitions.finish,
        phases=(RUNNING, PAUSED),
        cannot="finish",
        button="Finish these matches, then stop",
        help="Let the running matches end, then stop.",
        done="It stops as soon as the running matches are over.",
        done_holds_in=(FINISHING, OVER),
        done_to="{name} stops after {playing} matches",
    ),
    "cancel": TeacherAct(
        type=model.Cancel,
        tag="cancel",
        handler=transitions.cancel,
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
        type=model.RegisterEntrant,
        tag="enter",
        handler=transitions.enter,
        phases=(GATHERING, RUNNING, PAUSED),
        cannot="admit players",
        fields=(PLAYER, RATING, TEAM),
        button="Add",
        help="Add a player, even after the start or after being dropped.",
        done="The player was added.",
        done_to="{player} takes part in {name}",
    ),
    "drop": TeacherAct(
        type=model.WithdrawEntrant,
        tag="withdraw",
        handler=transitions.withdraw,
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
        type=model.Disqualify,
        tag="disqualify",
        handler=transitions.disqualify,
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
        type=model.Correct,
        tag="correct",
        handler=transitions.correct,
        phases=(*_BEGUN, OVER),
        cannot="correct a result",
        fields=(PAIRING, _VERDICT),
        needs_why=True,
        is_destructive=True,
        button="Correct the result",
        help="Set a result by hand: who won, by seat.",
        done="The result is corrected.",
        done_to="pairing {pairing} of {name} counts as: {verdict}",
    ),
    "void": TeacherAct(
        type=model.VoidPairing,
        tag="void",
        handler=transitions.void,
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
    "feature": TeacherAct(
        type=model.FeaturePairing,
        tag="feature",
        handler=transitions.feature,
        phases=_BEGUN,
        cannot="show a board",
        fields=(PAIRING,),
        button="Show large",
        help="Show the board of a game large on the projector until it ends.",
        done="The board is shown large until its match ends.",
        done_to="pairing {pairing} of {name} is shown large until it ends",
    ),
    "void-stage": TeacherAct(
        type=model.VoidStage,
        tag="void-stage",
        handler=transitions.void_stage,
        phases=(*_BEGUN, OVER),
        cannot="void a stage",
        needs_why=True,
        is_destructive=True,
        button="Void the stage",
        help="Strike out all games of the stage that is on, and pause at the end of the one before: results there can "
        "be put right, and `resume` begins the stage anew.",
        done="The stage is struck out, and the tournament is paused at the end of the one before.",
        done_holds_in=(PAUSED,),
        done_to="{name} is paused at the end of the stage before",
    ),
    "next-stage": _ActSpec(
        type=model.NextStage, tag="next-stage", handler=transitions.next_stage, phases=(RUNNING,), cannot="go on"
    ),
    "pair": _ActSpec(type=model.Pair, tag="pair", handler=transitions.pair, phases=(RUNNING,), cannot="pair"),
    "begin": _lobbys_own("begin", model.Begin, transitions.begin, (RUNNING,), "begin a match"),
    "report": _lobbys_own("report", model.Report, transitions.report, _BEGUN, "take a result"),
    "hold": _lobbys_own("hold", model.HoldPairing, transitions.hold, _BEGUN, "hold a match"),
    "no-show": _lobbys_own("no-show", model.NoShow, transitions.no_show, (RUNNING,), "count anybody as absent"),
    "time-up": _lobbys_own("time-up", model.EndByTime, transitions.time_up, (RUNNING,), "run out of time"),
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
    """Apply an act to a tournament by the table of acts; `ActRefused` says why it is not possible now."""
    spec = spec_of(act)
    if tournament.phase not in spec.phases:
        raise ActRefused(impossible_now(spec, tournament.plan.name, tournament.phase))
    # Voiding or a late correction can make what was complete incomplete: then play goes on by itself.
    was_complete = tournament.phase is TournamentPhase.OVER and is_complete(tournament)
    after = spec.handler(tournament, act)
    if was_complete and after.phase is TournamentPhase.OVER and not is_complete(after):
        after = attrs.evolve(after, phase=TournamentPhase.RUNNING)
    return _settled(after)


def impossible_now(spec: _ActSpec, name: str, phase: TournamentPhase) -> str:
    """The refusal of an act in a phase in which its row of the table does not allow it; `name` is the tournament's."""
    return f"{name} {_IS[phase]} and cannot {spec.cannot} now"


def _settled(tournament: Tournament) -> Tournament:
    if tournament.phase is TournamentPhase.RUNNING and is_complete(tournament):
        return attrs.evolve(tournament, phase=TournamentPhase.OVER)
    # Asked in this phase alone: looking at every pairing after every act took a tenth of whole tournaments in the
    # tests.
    if tournament.phase is TournamentPhase.FINISHING and not _has_undecided(tournament):
        return attrs.evolve(
            transitions.without_open(tournament, "the tournament stopped before"), phase=TournamentPhase.OVER
        )
    return tournament


def _has_undecided(tournament: Tournament) -> bool:
    return any(one.status in (PairingStatus.PLAYING, PairingStatus.HELD) for one in tournament.pairings)


def spec_of(act: Act) -> _ActSpec:
    """The row of an act in the table of acts."""
    return next(spec for spec in ACTS.values() if spec.type is type(act))


def teacher_acts() -> dict[str, TeacherAct]:
    """The rows of the table of acts that a teacher may ask for, by name."""
    return {name: spec for name, spec in ACTS.items() if isinstance(spec, TeacherAct)}
