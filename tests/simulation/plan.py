"""The plans of runs, from which everything follows that happens, with the code under test."""

import shlex
from ast import literal_eval
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from random import Random
from typing import Any, ClassVar, Self, TypeVar

from attrs import evolve, field, fields, frozen

from games.backgammon import FEVGA, PLAKOTO, PORTES, TAVLA, TAVLI
from games.connect_four_3d import GAME as CONNECT_FOUR
from games.mastermind import GAME as MASTERMIND
from games.reversi import GAME as REVERSI
from games.tic_tac_toe import GAME as TIC_TAC_TOE
from gameserver.flow_control.limits import Limits
from gameserver.game import Game
from gameserver.policies import Rules, SeatReturn
from gameserver.time_control import TimeControl
from gameserver.tournaments import plan as tournaments
from gameserver.tournaments.plan import Effect, RoundMode
from gameserver.tournaments.presets import preset
from tests.support.games import Broken, Countdown, Dice, catalogue

_PLAIN = (TIC_TAC_TOE, REVERSI, Countdown(), Dice(), Broken("play"), Broken("resigned"))
GAMES = catalogue(*_PLAIN, CONNECT_FOUR, MASTERMIND, TAVLA, TAVLI, PORTES, PLAKOTO, FEVGA)
"""Games short and long, with and without chance and secrets, a series, and two whose code fails."""

PLAIN_GAMES = tuple(game.name for game in _PLAIN)
"""Games that text players ask for among themselves."""

WITH_DICE = ("Dice", TAVLA.name)
"""Games whose positions cannot be followed by the moves that text players are told of."""

LINE_BYTES_MAX = 512
OUTBOX_BYTES_MAX = 65_536
"""Far less than in production. A long match that is shown again to a text player takes 20 KB, a page more."""

CLIENT_FAULTS = ("drop", "reset", "vanish", "half-close", "slow-reader", "lag", "intruder", "teacher", "roster", "bug")
SERVER_FAULTS = ("stall", "slow-commit", "failing-commit", "wall-clock", "stop", "drain", "crash")
FAULTS = (*CLIENT_FAULTS, *SERVER_FAULTS)
"""The kinds of faults; `faults.FAULTS_BY_KIND` has a function for each."""

LIGHT = ("slow-reader", "lag", "intruder", "failing-commit", "wall-clock")
"""Faults that neither end a connection nor take much time, and may strike often."""

MEMORY, SQLITE = "memory", "sqlite"
JOURNALS = (MEMORY, SQLITE)
SQLITE_SHARE = 0.1
LADDER_SHARE = 0.15
STEPS = 800
BOTS_MIN, BOTS_MAX = 2, 7
NAMES = ("ann", "bob", "cyd the 2nd", "Dän", "eve", "Ann", "fay-7", "gus")
PLAIN_NAMES = ("rob", "Pat", "kim7", "leo", "Max", "nia", "ola", "zoe")
"""Names of letters and digits, as one protocol has it."""

TEXT, ROOMS, CODES, CODES_BY_WEBSOCKET, TICKETS = "text", "rooms", "codes", "codes-by-websocket", "tickets"
WEB = "web"
PROTOCOLS = (TEXT, ROOMS, CODES, CODES_BY_WEBSOCKET, TICKETS, WEB)
CASTS = (
    (TEXT,),
    (TEXT,),
    (TEXT, ROOMS),
    (ROOMS,),
    (TEXT, TICKETS),
    (TICKETS,),
    (CODES, CODES_BY_WEBSOCKET, TEXT),
    PROTOCOLS,
    (WEB, TEXT),
    (WEB, ROOMS),
    (WEB,),
)
"""Sets of protocols whose clients may be there. Each run draws one."""
RATES = (0.0, 0.002, 0.006, 0.02)
"""Probabilities of a kind of fault at a step. Each run draws one for each: many lack some kinds, or are full of one."""


T = TypeVar("T")


def _drawn(purpose: str, *choices: T) -> Callable[["Plan"], T]:
    """Make a method that draws one of these."""
    return lambda plan: plan.stream(purpose).choice(choices)


@frozen
class Plan:
    """A run. Fewer steps, bots or faults than the seed asks for make a smaller run of the same seed.

    Everybody who draws has a stream of numbers of their own, so that leaving somebody out changes
    nothing for the others but what they notice themselves.
    """

    options: ClassVar[tuple[str, ...]] = ()
    """The options of the command that ask for this kind of run."""
    known_faults: ClassVar[tuple[str, ...]] = FAULTS
    games: ClassVar[Mapping[str, Game[Any]]] = GAMES

    seed: int
    steps: int = STEPS
    bots: int = field()
    faults: tuple[str, ...] = FAULTS
    protocols: tuple[str, ...] = field()
    """The protocols whose clients may be there."""
    journal: str = field()
    """The keeper of rows behind the disk's faults: a list in memory, or the real SQLite journal."""
    fickleness: float = field()
    """The share of logins and searches after which a text player is gone before it can have been answered."""
    banks: bool = field()
    """True if the clocks of matches have a bank."""

    ladder: bool = field()
    """True if a teacher opens the ladder of a game."""

    @bots.default
    def _bots(self) -> int:
        return self.stream("bots").randint(BOTS_MIN, BOTS_MAX)

    @protocols.default
    def _protocols(self) -> tuple[str, ...]:
        return self.stream("protocols").choice(CASTS)

    @journal.default
    def _journal(self) -> str:
        return SQLITE if self.stream("journal").random() < SQLITE_SHARE else MEMORY

    @fickleness.default
    def _fickleness(self) -> float:
        return self.stream("fickleness").choice((0.0, 0.0, 0.5))

    @banks.default
    def _banks(self) -> bool:
        return self.stream("banks").choice((False, False, True))

    @ladder.default
    def _ladder(self) -> bool:
        return TEXT in self.protocols and self.stream("ladder").random() < LADDER_SHARE

    def stream(self, purpose: str) -> Random:
        return Random(f"{self.seed}/{purpose}")

    def rates(self) -> dict[str, float]:
        """The probability of each kind of fault at a step."""
        return {
            kind: self.stream(f"rate of {kind}").choice(RATES) * (1 if kind in LIGHT else 0.4)
            for kind in self.known_faults
            if kind in self.faults
        }

    def cast(self) -> tuple[tuple[str, str], ...]:
        """Draw the protocol and the name of each client; one of every protocol that may be there, if there is room."""
        chance, protocols = self.stream("cast"), self.protocols
        drawn = (*protocols, *(chance.choice(protocols) for _ in range(BOTS_MAX)))
        return tuple(
            (protocol, (NAMES if protocol == TEXT else PLAIN_NAMES)[index])
            for index, protocol in enumerate(drawn[: self.bots])
        )

    @property
    def has_spectators(self) -> bool:
        """True if people read the pages, and an operator has the admin listener."""
        return self.bots > 0 and not {CODES_BY_WEBSOCKET, WEB}.isdisjoint(self.protocols)

    @property
    def has_http(self) -> bool:
        """True if anybody may call at the HTTP port."""
        return not {TICKETS, CODES_BY_WEBSOCKET, WEB}.isdisjoint(self.protocols)

    def menu(self) -> tuple[str, ...]:
        """Draw the games that most text players of this run care for."""
        plain = tuple(self.stream("menu").sample(PLAIN_GAMES, 2))
        meeting = {ROOMS: CONNECT_FOUR.name, TICKETS: TAVLA.name}
        return (*(meeting[protocol] for protocol in self.protocols if protocol in meeting), *plain)

    def tournament(self) -> tournaments.Plan | None:
        """Draw the tournament of this run, if it has any: a short one."""
        chance = self.stream("tournament")
        if TEXT not in self.protocols or chance.random() > 0.5:
            return None
        game = CONNECT_FOUR.name if ROOMS in self.protocols else chance.choice(("Countdown", TIC_TAC_TOE.name))
        which = chance.choice(("hanze", "league", "swiss", "cup", "arena"))
        changes: dict[str, Any] = {
            "no_show_ms": chance.choice((1_500, 4_000)),
            "pause_ms": chance.choice((0, 0, 300)),
            "matches_at_once_max": chance.choice((0, 0, 1)),
            "clock": self.clock("tournament", 2_000) if self.banks else None,
            "stand_in": chance.choice(("", "house-random")),
            "cycles": 1,
            "games": 1,
            "rounds": 2 if which == "swiss" else 0,
            "third_place": False,
            "extra_games_max": 0,
            "duration_ms": 10_000 if which == "arena" else 0,
            "same_chance": self.stream("same dice").random() < 0.5,
        }
        if changes["same_chance"] and which != "arena" and self.stream("pairs of games").random() < 0.5:
            changes["games"] = 2
            game = game if ROOMS in self.protocols else "Dice"
        return preset(which, "Cup", game, **changes | self.stages(which))

    def stages(self, which: str) -> dict[str, Any]:
        """Draw the stages of a tournament of this preset; one in most runs."""
        if which not in STAGES or self.stream("stages").random() > STAGES_SHARE:
            return {}
        return {"stages": STAGES[which], "stand_in": ""}

    def profile(self, protocol: str, known: tuple[str, ...]) -> str:
        """Draw the generation of a protocol that this server speaks; in half of the runs the usual one, the first."""
        chance = self.stream(f"profile of {protocol}")
        return known[0] if chance.random() < 0.5 else chance.choice(known)

    def roster_shares(self) -> tuple[float, ...]:
        """The shares of players whose names are bound to secrets; one of these is drawn."""
        return (0.0, 0.0, 0.5, 1.0)

    haste = _drawn("haste", 0.97, 0.8, 0.6, 0.3)
    """The share of quick thinking; the rest ends at the last moment, too late, or never."""
    muttering = _drawn("muttering", 0.0, 0.0, 0.9)
    """The share of turns in which a text player sends commands that change the lobby just before its move."""

    def overtakes_tickets(self) -> bool:
        """Draw whether the server moves for a late player of tickets, as in a tournament whose plan says so."""
        return not self.banks and self.stream("overtaken tickets").choice((False, False, False, True))

    def absentees(self) -> frozenset[int]:
        """Draw the bots that stay away even in the calm at the end; none in most runs."""
        chance = self.stream("absentees")
        share = chance.choice((0.0, 0.0, 0.4))
        return frozenset(bot for bot in range(self.bots) if chance.random() < share)

    def ends_with_a_crash(self) -> bool:
        """Draw whether the faults end with a kill of the server, with everything that is under way."""
        return "crash" in self.faults and self.stream("last crash").random() < 0.4

    def clock(self, purpose: str, turn_time_ms: int) -> TimeControl:
        """Draw the clock of a kind of match: by the turn, unless this run has banks; some of those run out."""
        if not self.banks:
            return TimeControl(turn_time_ms)
        chance = self.stream(f"clock of {purpose}")
        bank_ms = chance.choice((1_500, 4_000, 12_000))
        increment_ms, periods, period_ms = chance.choice(
            ((0, 0, 0), (300, 0, 0), (1_000, 0, 0), (0, 2, 700), (0, 3, 900))
        )
        limit_ms = chance.choice((None, turn_time_ms, 3 * turn_time_ms))
        return TimeControl(limit_ms, bank_ms, increment_ms, periods, period_ms)

    def rules(self) -> Rules:
        chance = self.stream("rules")
        return Rules(
            clock=self.clock("queue", chance.choice((1_000, 2_000, 4_000))),
            drop_grace_ms=chance.choice((0, 0, 3_000)),
            restart_grace_ms=chance.choice((3_000, 15_000)),
            first_move_pause_ms=chance.choice((0, 100)),
            seat_return=chance.choice((SeatReturn.SAME_ADDRESS, SeatReturn.SAME_ADDRESS, SeatReturn.ANY_ADDRESS)),
            room_count=chance.choice((1, 2, 4)),
            room_clock=self.clock("rooms", chance.choice((1_000, 3_000))),
            room_start_time_ms=chance.choice((2_000, 10_000)),
            room_move_pause_ms=chance.choice((0, 0, 200)),
            ticket_clock=self.clock("tickets", chance.choice((2_000, 5_000))),
            ticket_drop_grace_ms=chance.choice((0, 3_000)),
            ticket_wait_time_ms=chance.choice((4_000, 15_000)),
            ticket_arrival_time_ms=chance.choice((2_000, 6_000)),
            late_answer_ms=self.stream("late answers").choice((0, 3_000, 10_000, 10_000)),
            house_accept_ms=self.stream("house").choice((0, 150)),
            key_grace_ms=self.stream("keys").choice((0, 3_000, 20_000)),
        )

    def limits(self) -> Limits:
        commands_per_s = self.stream("limits").choice((1_000.0, 1_000.0, 1_000.0, 5.0))
        return Limits(line_bytes_max=LINE_BYTES_MAX, outbox_bytes_max=OUTBOX_BYTES_MAX, commands_per_s=commands_per_s)

    def house_seed(self) -> str:
        """The seed of the house's moves; empty for the seeds of its matches."""
        return ""

    def has_task_reactor(self) -> bool:
        """Draw whether the reactor is the one for machines without epoll."""
        return self.stream("reactor").random() < (0.6 if self.fickleness else 0.25)  # it reads during commits

    contributions = _drawn("share of contributions", 0.0, 0.03, 0.3)
    """The probability that a player adds to the chance of the next match, at a step."""
    epoch_s = _drawn("epochs", 86_400.0, 86_400.0, 86_400.0, 7.0)
    """The time after which the server draws from another seed."""

    partial_share = _drawn("partial writes", 0.0, 0.1, 0.4)
    """The share of sends of which the kernel takes a part."""

    def commit_s(self) -> float:
        """Draw the usual duration of a commit."""
        chance = self.stream("commits")
        if "slow-commit" in self.faults and (self.muttering() or self.fickleness):
            return chance.choice((0.1, 0.15, 0.3))  # what these do matters while a commit is at work
        return chance.choice((0.0, 0.0002, 0.0002, 0.005, 0.1, 0.5)) if "slow-commit" in self.faults else 0.0

    quick_commits = _drawn("quick commits", 0, 2, 20)
    """The number of quick commits after which the event loop makes them."""
    log_pages = _drawn("log pages", 20, 100, 1_000)
    """The pages after which SQLite's write-ahead log is folded into the file."""
    snapshot_rows = _drawn("snapshots", 10, 50, 10_000)
    """The rows after which a snapshot is taken."""

    def command(self) -> str:
        """Give the command that shows this run again."""
        given: dict[str, Any] = {}
        for name in (one.name for one in fields(type(self)) if one.name != "seed"):
            value = getattr(self, name)
            if value != getattr(type(self)(self.seed, **given), name):
                given[name] = value
        words = [f"{name}={','.join(value) or 'none' if name in OF_NAMES else value}" for name, value in given.items()]
        options = ["--from", str(self.seed), "--seeds", "1", *self.options]
        return shlex.join(["python", "-m", "tests.simulation", *options, *words])


SYNCHRONOUS, ASYNCHRONOUS = "synchronous", "asynchronous"
REPLICAS = (SYNCHRONOUS, ASYNCHRONOUS)
DATABASE_FAULTS = ("lost-connection", "in-doubt", "database-restart", "cut-network", "replica-away", "promotion")
SERVERS_FAULTS = ("stopped", "frozen", "both-start", "standby-crash")
STANDBY_FAULTS = (
    *CLIENT_FAULTS,
    *(fault for fault in SERVER_FAULTS if fault != "failing-commit"),
    *DATABASE_FAULTS,
    *SERVERS_FAULTS,
)
"""A shared database fails commits in ways of its own."""

HALLS = ("", "b")
"""The names of the halls; the first one has none."""
HALLS_FAULTS = tuple(fault for fault in STANDBY_FAULTS if fault not in {"both-start", "standby-crash", "bug"})

KNOWN = {
    "protocols": PROTOCOLS,
    "faults": tuple(dict.fromkeys((*FAULTS, *STANDBY_FAULTS))),
    "journal": JOURNALS,
    "replica": REPLICAS,
}
"""The names that there are for settings of a plan."""
OF_NAMES = ("protocols", "faults")
"""The settings of a plan that are several names."""


def settings_of(words: Iterable[str]) -> dict[str, Any]:
    """Read settings of a plan, such as `steps=400`, `protocols=text,web` and `faults=none`. Raises `ValueError`."""
    settings: dict[str, Any] = {}
    for name, _, value in (word.partition("=") for word in words):
        names = tuple(value.split(",")) if value != "none" else ()
        if unknown := set(names) - set(KNOWN.get(name, names)):
            raise ValueError(f"{name}: there is no {', '.join(unknown)}, but {', '.join(KNOWN[name])}")
        settings[name] = names if name in OF_NAMES else value
        with suppress(ValueError, SyntaxError):  # of what is no number, such as "sqlite"
            settings[name] = literal_eval(value)
    return settings


FREQUENT = ("lost-connection", "in-doubt")
GRAVE = ("stop", "drain", "crash", *DATABASE_FAULTS[2:], "both-start", "standby-crash")
"""Faults that take a while, in which hardly anything else happens."""
ASYNCHRONOUS_SHARE = 0.3


@frozen
class StandbyPlan(Plan):
    """A run with two servers over one database."""

    options: ClassVar[tuple[str, ...]] = ("--standby",)
    known_faults: ClassVar[tuple[str, ...]] = STANDBY_FAULTS

    steps: int = 600
    faults: tuple[str, ...] = STANDBY_FAULTS
    replica: str = field()
    """The kind of replica that the database has. One that may lack rows is seldom: its promotion ends a run."""

    @replica.default
    def _replica(self) -> str:
        return ASYNCHRONOUS if self.stream("replica").random() < ASYNCHRONOUS_SHARE else SYNCHRONOUS

    @property
    def has_spectators(self) -> bool:
        return super().has_spectators and self.replica == SYNCHRONOUS  # pages may show rows that the other one loses

    def rates(self) -> dict[str, float]:
        return {
            kind: rate * (2.5 if kind in FREQUENT else 0.4 if kind in GRAVE else 1)
            for kind, rate in super().rates().items()
        }

    def has_proxy(self) -> bool:
        """Draw whether a proxy ends the connections to a former leader; else clients have to find out."""
        return self.stream("proxy").random() < 0.5

    latency_s = _drawn("latency", 0.0, 0.0002, 0.002, 0.02)
    """Usual travelling time of a message between a server and the database."""
    commit_retry_ms = _drawn("commit retry", 4_000, 10_000, 30_000)
    """The time for which a journal may fail before the server stops."""


@frozen
class HallsPlan(StandbyPlan):
    """A run with two halls over one database, each of one server. The first one's plan holds for what they share."""

    options: ClassVar[tuple[str, ...]] = ("--halls",)
    known_faults: ClassVar[tuple[str, ...]] = HALLS_FAULTS

    steps: int = 500
    faults: tuple[str, ...] = HALLS_FAULTS
    replica: str = SYNCHRONOUS
    hall: str = ""

    def stream(self, purpose: str) -> Random:
        hall = getattr(self, "hall", "")  # the first hall draws from it while it is being made
        return super().stream(f"hall {hall}/{purpose}" if hall else purpose)

    def rates(self) -> dict[str, float]:
        """The rates, lowered as what befalls the database befalls both halls, so that matches come between."""
        disturbing = (*DATABASE_FAULTS, *SERVERS_FAULTS, "crash", "stop", "drain")
        rates = {kind: rate * (0.2 if kind in disturbing else 0.7) for kind, rate in super().rates().items()}
        return {kind: rate * (4 if kind == "roster" else 1) for kind, rate in rates.items()}

    def menu(self) -> tuple[str, ...]:
        """Draw the same games in both halls, so that ratings meet."""
        return evolve(self, hall="").menu() if self.hall else super().menu()

    def roster_shares(self) -> tuple[float, ...]:
        return (0.5, 1.0)

    def of_hall(self, name: str) -> Self:
        """Give the same run in another hall, with players of its own."""
        other, draws = evolve(self, hall=name), ("bots", "protocols", "fickleness")
        drawn = {name: (getattr(self, f"_{name}")(), getattr(other, f"_{name}")()) for name in draws}
        return evolve(other, **{name: its for name, (own, its) in drawn.items() if getattr(self, name) == own})

    def all_come_anew(self) -> bool:
        """Draw whether everybody logs in again in the calm, by what the roster has then."""
        return self.stream("all come anew").random() < 0.5

    def is_lost_in_the_calm(self) -> bool:
        """Draw whether the hall's machine goes at last and does not come back, while the other hall plays on."""
        lost = Random(f"{self.seed}/hall that is lost").choice((*HALLS, *[None] * 4))
        return lost == self.hall


ROUNDS_WITH_FAULTS = 6_000
"""The number of rounds, of 20 to 50 ms, after which nothing goes wrong any more."""
FIELD_MIN, FIELD_MAX = 3, 5
TURN_TIME_MS = 30_000
NO_SHOW_MS = 20_000
NO_SHOW_BY_TICKET_MS = 60_000
"""Longer, as a player asks for a ticket first, then comes with it; each may wait for two slow commits."""
PAUSE_MS = 5_000
"""Longer than any lag: a player who leaves between two matches has left before the next one."""
GRACE_MS = 40_000
NEVER = 100
LIGHT_SHARE = 0.3
"""The share of bad luck that clients have here: nobody may lose a match by it."""
FAULTS_BESIDES = ("slow-reader", "lag")
"""Faults of clients that cost nothing, even where a lost connection loses the match."""
INTERRUPTED_FAULTS = ("drop", "reset", "vanish", "half-close", *FAULTS_BESIDES, "teacher", *SERVER_FAULTS)
INTERRUPTED_CASTS = ((TEXT,), (TEXT,), (TEXT,), (TEXT,), (TEXT, ROOMS), (ROOMS,))
INTERRUPTED_CASTS_WITH_TICKETS = ((TICKETS,), (TEXT, TICKETS))
WITH_TICKETS_SHARE = 0.2
_IN_GROUPS = "groups of 3, best 2 -> knockout"
STAGES = {"hanze": _IN_GROUPS, "league": _IN_GROUPS, "rounds": _IN_GROUPS, "swiss": "swiss, best 2 -> knockout"}
"""The stages that a preset leads to in some runs: few players take part."""
STAGES_SHARE = 0.25
TEAMS_SHARE = 0.3
FORMATS = ("hanze", "hanze", "league", "swiss", "cup", "rounds")
FATES = ("resign", "leave", "err", "oversleep")
"""Acts of a player in the place of a move."""


@frozen
class Interrupted(Plan):
    """A tournament with interruptions; `faults=()` is the one in peace."""

    options: ClassVar[tuple[str, ...]] = ("--interrupted",)

    steps: int = ROUNDS_WITH_FAULTS
    bots: int = field()
    faults: tuple[str, ...] = INTERRUPTED_FAULTS
    protocols: tuple[str, ...] = field()
    ladder: bool = False
    kill_after: int = 0
    """The row after which the server is killed, and nothing else goes wrong; 0 for kills at random."""
    doom: str = "after append"
    """The point at which the power fails then."""

    @bots.default
    def _bots(self) -> int:
        return self.stream("field").randint(FIELD_MIN, FIELD_MAX)

    @protocols.default
    def _protocols(self) -> tuple[str, ...]:
        has_tickets = self.stream("tickets").random() < WITH_TICKETS_SHARE
        return self.stream("protocols").choice(INTERRUPTED_CASTS_WITH_TICKETS if has_tickets else INTERRUPTED_CASTS)

    @property
    def forgives_drops(self) -> bool:
        """True if a player who loses the connection may come back."""
        return TICKETS in self.protocols or self.stream("grace").random() < 0.5

    def in_peace(self) -> Self:
        return evolve(self, faults=(), kill_after=0)

    def rates(self) -> dict[str, float]:
        if self.kill_after:
            return {"crash": 0.0}
        rates = super().rates()
        if not self.forgives_drops:
            rates = {kind: rate for kind, rate in rates.items() if kind in {*SERVER_FAULTS, *FAULTS_BESIDES}}
        lessened = {*LIGHT, "drop", "reset", "vanish", "half-close"} - {*SERVER_FAULTS}
        return {kind: rate * (LIGHT_SHARE if kind in lessened else 1) for kind, rate in rates.items()}

    def roster_shares(self) -> tuple[float, ...]:
        return (0.0,)

    def menu(self) -> tuple[str, ...]:
        return (TAVLA.name,)

    def house_seed(self) -> str:
        return str(self.seed)

    def absentees(self) -> frozenset[int]:
        return frozenset()

    def ends_with_a_crash(self) -> bool:
        return False

    def tournament(self) -> tournaments.Plan:
        chance = self.stream("tournament")
        which = chance.choice(FORMATS)
        changes: dict[str, Any] = {
            "no_show_ms": NO_SHOW_BY_TICKET_MS if TICKETS in self.protocols else NO_SHOW_MS,
            "pause_ms": chance.choice((0, 300)) if self.last_round() is None else PAUSE_MS,
            "matches_at_once_max": chance.choice((0, 0, 1)),
            "clock": f"turn {TURN_TIME_MS}ms",
            "stand_in": chance.choice(("", "house-random")),
            "cycles": chance.choice((1, 2)) if len(self.protocols) == 1 and TEXT in self.protocols else 1,
            "games": 2 if which == "cup" and TEXT in self.protocols else 1,
            "rounds": 3 if which == "swiss" else 0,
            "pacing": RoundMode.ROUNDS if which in {"rounds", "swiss"} else RoundMode.CONTINUOUS,
            # In another order somebody else has the win over who is taken out for the second no-show.
            "no_shows_max": NEVER if which in {"hanze", "league"} else 2,
            "voids_max": NEVER,
            "searches": self.stream("searches").random() < 0.5,
            "same_chance": self.stream("same dice").random() < 0.5,
        }
        if self.last_round() is None:
            changes |= self.stages(which)
        if which in {"rounds", "swiss"} and not changes.get("stages") and self.has_teams() and self.bots >= 4:
            keep = {"withdrawal": Effect.KEEP, "disqualification": Effect.KEEP}
            changes |= {"team_boards": 2, "stand_in": "", "no_shows_max": NEVER, **keep}
        return preset("hanze" if which == "rounds" else which, "Cup", self._game(), **changes)

    def has_teams(self) -> bool:
        """Draw whether the players are in two teams, which meet on boards if rounds are played."""
        return self.stream("teams").random() < TEAMS_SHARE

    def _game(self) -> str:
        if ROOMS in self.protocols:
            return CONNECT_FOUR.name
        if TICKETS in self.protocols:
            return TAVLA.name
        return self.stream("game").choice(("Countdown", TIC_TAC_TOE.name, "Dice"))

    @property
    def has_dice(self) -> bool:
        """True if a match that is played once more has other dice."""
        return self._game() in {TAVLA.name, "Dice"}

    def plays_on_share(self) -> float:
        """The probability that nobody ends a match before its time; low where it is long."""
        return 0.15 if TICKETS in self.protocols else 0.65

    def fates(self) -> tuple[str, ...]:
        """The ways to end a match early: none leads to a rematch with other dice."""
        if TICKETS in self.protocols:
            return ("resign",)
        if self.has_dice:
            return ("resign", "err", "oversleep")
        return ("resign", "leave") if ROOMS in self.protocols else FATES

    def contributions(self) -> float:
        return 0.0  # who has to add again after a restart has other dice

    def epoch_s(self) -> float:
        return 86_400.0

    def overtakes_tickets(self) -> bool:
        return False

    def last_round(self) -> int | None:
        """Draw the round after which one player leaves: 0 for one who never comes, None if all stay."""
        chance = self.stream("leaver")
        if self.stream("tournament").choice(FORMATS) == "swiss":
            return chance.choice((None, 0, 1, 2))
        return chance.choice((None, None, 0))

    def rules(self) -> Rules:
        grace_ms = GRACE_MS if self.forgives_drops else 0
        return Rules(
            clock=TimeControl(TURN_TIME_MS),
            drop_grace_ms=grace_ms,
            restart_grace_ms=2 * GRACE_MS,
            room_clock=TimeControl(TURN_TIME_MS),
            ticket_clock=TimeControl(TURN_TIME_MS),
            ticket_drop_grace_ms=GRACE_MS,
            room_count=2 * FIELD_MAX,
        )
