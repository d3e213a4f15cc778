"""What one run is made of. Everything that happens follows from a plan and the code under test."""

from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar

from attrs import field, frozen

from games.backgammon import FEVGA, PLAKOTO, PORTES, TAVLA, TAVLI
from games.connect_four_3d import GAME as CONNECT_FOUR
from games.mastermind import GAME as MASTERMIND
from games.reversi import GAME as REVERSI
from games.tic_tac_toe import GAME as TIC_TAC_TOE
from gameserver.flow_control.limits import Limits
from gameserver.game import Game
from gameserver.policies import Rules, SeatReturn
from gameserver.tournaments import plan as tournaments
from gameserver.tournaments.presets import preset
from tests.support.games import Broken, Countdown, Dice, catalogue

_PLAIN = (TIC_TAC_TOE, REVERSI, Countdown(), Dice(), Broken("play"), Broken("resigned"))
GAMES = catalogue(*_PLAIN, CONNECT_FOUR, MASTERMIND, TAVLA, TAVLI, PORTES, PLAKOTO, FEVGA)
"""Short and long, with and without chance and secrets, a series, and two whose code fails."""

PLAIN_GAMES = tuple(game.name for game in _PLAIN)
"""Those that text players ask for among themselves."""

WITH_DICE = ("Dice", TAVLA.name)
"""Those whose positions cannot be followed by what text players are told of moves alone."""

LINE_BYTES_MAX = 512
OUTBOX_BYTES_MAX = 65_536
"""Far less than in earnest. A long match that is shown again to a text player takes 20 KB, a page more."""

CLIENT_FAULTS = ("drop", "reset", "vanish", "half-close", "slow-reader", "lag", "intruder", "teacher", "roster", "bug")
SERVER_FAULTS = (
    "stall",
    "slow-commit",
    "failing-commit",
    "wall-clock",
    "stop",
    "drain",
    "crash",
)
FAULTS = (*CLIENT_FAULTS, *SERVER_FAULTS)
"""Every kind of misfortune; `faults` has one function for each."""

LIGHT = ("slow-reader", "lag", "intruder", "failing-commit", "wall-clock")
"""What neither ends a connection nor takes much time, and may strike often."""

MEMORY, SQLITE = "memory", "sqlite"
JOURNALS = (MEMORY, SQLITE)
SQLITE_SHARE = 0.1
STEPS = 800
BOTS_MIN, BOTS_MAX = 2, 7
NAMES = ("ann", "bob", "cyd the 2nd", "Dän", "eve", "Ann", "fay-7", "gus")
PLAIN_NAMES = ("rob", "Pat", "kim7", "leo", "Max", "nia", "ola", "zoe")
"""Of letters and digits, as one protocol has it."""

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
"""Who may be there, by protocol. Each run draws one."""
RATES = (0.0, 0.002, 0.006, 0.02)
"""How likely a kind of fault strikes at a step. Drawn for each run: many runs lack some kinds, some are full of one."""


@frozen
class Plan:
    """A run. Fewer steps, bots or faults than the seed asks for make a smaller run of the same seed.

    Everybody who draws has a stream of numbers of their own, so that leaving somebody out changes
    nothing for the others but what they notice themselves.
    """

    known_faults: ClassVar[tuple[str, ...]] = FAULTS
    games: ClassVar[Mapping[str, Game[Any]]] = GAMES

    seed: int
    steps: int = STEPS
    bots: int = field()
    faults: tuple[str, ...] = FAULTS
    protocols: tuple[str, ...] = field()
    """Those whose clients may be there."""
    journal: str = field()
    """What keeps the rows behind the disk's faults: a list in memory, or the real SQLite journal."""

    @bots.default
    def _bots(self) -> int:
        return self.stream("bots").randint(BOTS_MIN, BOTS_MAX)

    @protocols.default
    def _protocols(self) -> tuple[str, ...]:
        return self.stream("protocols").choice(CASTS)

    @journal.default
    def _journal(self) -> str:
        return SQLITE if self.stream("journal").random() < SQLITE_SHARE else MEMORY

    def stream(self, purpose: str) -> Random:
        """The numbers for one purpose."""
        return Random(f"{self.seed}/{purpose}")

    def rates(self) -> dict[str, float]:
        """How likely each kind of fault strikes at a step."""
        return {
            kind: self.stream(f"rate of {kind}").choice(RATES) * (1 if kind in LIGHT else 0.4)
            for kind in self.known_faults
            if kind in self.faults
        }

    def cast(self) -> tuple[tuple[str, str], ...]:
        """The protocol and the name of each client; one of every protocol that may be there, if there is room."""
        chance, protocols = self.stream("cast"), self.protocols
        drawn = (*protocols, *(chance.choice(protocols) for _ in range(BOTS_MAX)))
        return tuple(
            (protocol, (NAMES if protocol == TEXT else PLAIN_NAMES)[index])
            for index, protocol in enumerate(drawn[: self.bots])
        )

    @property
    def has_spectators(self) -> bool:
        """Whether people read the pages, and an operator has the admin listener."""
        return self.bots > 0 and not {CODES_BY_WEBSOCKET, WEB}.isdisjoint(self.protocols)

    @property
    def has_http(self) -> bool:
        """Whether anybody may call at the HTTP port."""
        return not {TICKETS, CODES_BY_WEBSOCKET, WEB}.isdisjoint(self.protocols)

    def menu(self) -> tuple[str, ...]:
        """The games that most text players of this run care for."""
        plain = tuple(self.stream("menu").sample(PLAIN_GAMES, 2))
        meeting = {ROOMS: CONNECT_FOUR.name, TICKETS: TAVLA.name}
        return (*(meeting[protocol] for protocol in self.protocols if protocol in meeting), *plain)

    def tournament(self) -> tournaments.Plan | None:
        """What the teacher has played in this run, if anything: something short."""
        chance = self.stream("tournament")
        if TEXT not in self.protocols or chance.random() > 0.5:
            return None
        game = CONNECT_FOUR.name if ROOMS in self.protocols else chance.choice(("Countdown", TIC_TAC_TOE.name))
        which = chance.choice(("hanze", "league", "swiss", "cup", "arena"))
        changes: dict[str, Any] = {
            "no_show_ms": chance.choice((1_500, 4_000)),
            "pause_ms": chance.choice((0, 0, 300)),
            "matches_at_once_max": chance.choice((0, 0, 1)),
            "turn_time_ms": None,
            "stand_in": chance.choice(("", "house-random")),
            "cycles": 1,
            "games": 1,
            "rounds": 2 if which == "swiss" else 0,
            "third_place": False,
            "extra_games_max": 0,
            "duration_ms": 10_000 if which == "arena" else 0,
            "same_chance": self.stream("same dice").random() < 0.5,
        }
        return preset(which, "Cup", game, **changes)

    def profile(self, protocol: str, known: tuple[str, ...]) -> str:
        """The generation of a protocol that this server speaks; in half of the runs the usual one, the first."""
        chance = self.stream(f"profile of {protocol}")
        return known[0] if chance.random() < 0.5 else chance.choice(known)

    def roster_shares(self) -> tuple[float, ...]:
        """How many of the players may have their names bound to secrets; one of these is drawn."""
        return (0.0, 0.0, 0.5, 1.0)

    def haste(self) -> float:
        """How much of the players' thinking is quick. The rest ends at the last moment, too late, or never."""
        return self.stream("haste").choice((0.97, 0.8, 0.6, 0.3))

    def muttering(self) -> float:
        """The share of turns in which a text player sends commands that change the lobby just before its move."""
        return self.stream("muttering").choice((0.0, 0.0, 0.9))

    def fickleness(self) -> float:
        """The share of logins and searches after which a text player is gone before it can have been answered."""
        return self.stream("fickleness").choice((0.0, 0.0, 0.5))

    def absentees(self) -> frozenset[int]:
        """The bots that do not even come back in the calm at the end; everybody does in most runs."""
        chance = self.stream("absentees")
        share = chance.choice((0.0, 0.0, 0.4))
        return frozenset(bot for bot in range(self.bots) if chance.random() < share)

    def ends_with_a_crash(self) -> bool:
        """Whether the last thing to go wrong is that the server is killed, with everything that is under way."""
        return "crash" in self.faults and self.stream("last crash").random() < 0.4

    def rules(self) -> Rules:
        """The server's settings."""
        chance = self.stream("rules")
        return Rules(
            turn_time_ms=chance.choice((1_000, 2_000, 4_000)),
            drop_grace_ms=chance.choice((0, 0, 3_000)),
            restart_grace_ms=chance.choice((3_000, 15_000)),
            first_move_pause_ms=chance.choice((0, 100)),
            seat_return=chance.choice((SeatReturn.SAME_ADDRESS, SeatReturn.SAME_ADDRESS, SeatReturn.ANY_ADDRESS)),
            room_count=chance.choice((1, 2, 4)),
            room_turn_time_ms=chance.choice((1_000, 3_000)),
            room_start_time_ms=chance.choice((2_000, 10_000)),
            room_move_pause_ms=chance.choice((0, 0, 200)),
            ticket_turn_time_ms=chance.choice((2_000, 5_000)),
            ticket_drop_grace_ms=chance.choice((0, 3_000)),
            ticket_wait_time_ms=chance.choice((4_000, 15_000)),
            ticket_arrival_time_ms=chance.choice((2_000, 6_000)),
            late_answer_ms=self.stream("late answers").choice((0, 3_000, 10_000, 10_000)),
            house_accept_ms=self.stream("house").choice((0, 150)),
            key_grace_ms=self.stream("keys").choice((0, 3_000, 20_000)),
        )

    def limits(self) -> Limits:
        """The server's limits."""
        commands_per_s = self.stream("limits").choice((1_000.0, 1_000.0, 1_000.0, 5.0))
        return Limits(line_bytes_max=LINE_BYTES_MAX, outbox_bytes_max=OUTBOX_BYTES_MAX, commands_per_s=commands_per_s)

    def house_seed(self) -> str:
        """What the house's moves follow from; empty for the seeds of its matches."""
        return ""

    def has_task_reactor(self) -> bool:
        """Whether the reactor is the one for machines without epoll."""
        return self.stream("reactor").random() < (0.6 if self.fickleness() else 0.25)  # it reads during commits

    def partial_share(self) -> float:
        """How often the kernel takes a part of what is sent."""
        return self.stream("partial writes").choice((0.0, 0.1, 0.4))

    def commit_s(self) -> float:
        """How long a commit takes."""
        chance = self.stream("commits")
        if "slow-commit" in self.faults and (self.muttering() or self.fickleness()):
            return chance.choice((0.1, 0.15, 0.3))  # what these do matters while a commit is at work
        return chance.choice((0.0, 0.0002, 0.0002, 0.005, 0.1, 0.5)) if "slow-commit" in self.faults else 0.0

    def quick_commits(self) -> int:
        """After how many quick commits the event loop makes them."""
        return self.stream("quick commits").choice((0, 2, 20))

    def log_pages(self) -> int:
        """After how many pages SQLite's write-ahead log is folded into the file."""
        return self.stream("log pages").choice((20, 100, 1_000))

    def snapshot_rows(self) -> int:
        """After how many rows a snapshot is taken."""
        return self.stream("snapshots").choice((10, 50, 10_000))

    def command(self) -> str:
        """How to see this run again."""
        command = f"python -m tests.simulation --from {self.seed} --seeds 1 --steps {self.steps} --bots {self.bots}"
        if self.faults != self.known_faults:
            command += f" --faults {','.join(self.faults) or 'none'}"
        if self.protocols != self._protocols():
            command += f" --protocols {','.join(self.protocols)}"
        if self.journal != self._journal():
            command += f" --journal {self.journal}"
        return command
