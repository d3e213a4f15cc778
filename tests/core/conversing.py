"""Conversations with the lobby as text files: commands, how they are answered, and who hears what of it.

A file begins with what it shows, in lines with `#`, its games (`@games Countdown Dice`), its rules (`@rules
drop_grace_ms=5000`), which of two players begins each match, by name (`@begins first second`), and the lines with which
each of its conversations begins, after settings of its own. `: playing`
names the lines below it, up to an empty one: a line `playing` stands for them. `== They meet` begins a conversation, in
which each line says one thing:

    ann Enter                      a command, by the name of its class, of a connection; `ann2` is ann's second one
    ann Challenge bob Countdown    its fields in their order, or as `clock=turn_5s`, but for the `USUAL` ones
    ann Play 7 -> ILLEGAL_MOVE move=7 why~"take 1"    a refusal and its facts, `~` a part of one; others are accepted
    ann Play 1 read -300           what ann sent was read so many milliseconds ago
    TimeUp 1                       a command of the server
    ann starts in 2                sits down in that room and is ready
    teacher creates cup games=3 roster=ann,bob    a tournament; `teacher Pause` is an act upon it (`of=2`: that one)
    +5000                          so many milliseconds pass
    restart                        of the server; what `@rules` say between holds from then on
    everybody plays on             all matches are played, and the first name wins
    ann meets a bug                of the server, which ends the connection
    ann hears MovePlayed text=1, TurnStarted    all that ann was told since this was asked last, or `nothing`
    ann hears also MatchEnded      that, among other things; also `ann hears no MatchEnded`
    forget                         what was told until now does not matter
    match.ann.session is 1         a value of the lobby or the harness, of a list all values, of a mapping its keys;
                                   `now+5` is a point of time
    blame has lost on time         that is a part of a value
    nothing is written             by the last command
    terms late=random_move         the match has other policies

A table of `| words |` below a title makes a conversation of each row. `<word>` stands for what its column says, which
may be several lines with `;` between them. At the end the journal and a snapshot have to give the same lobby.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import cache, cached_property, reduce
from itertools import filterfalse, takewhile
from typing import Any, get_args, get_origin, get_type_hints

from attrs import asdict, define, evolve, field, fields_dict, has

from gameserver.core import commands, events
from gameserver.core.commands import HOUSE_SESSION, Capability, Conduct, CreateTournament, EntryMode
from gameserver.core.events import Accepted, Rejected
from gameserver.core.match import Match
from gameserver.policies import Policies, Rules
from gameserver.time_control import TimeControl
from gameserver.tournaments import model
from gameserver.tournaments.presets import preset
from tests.core.games import GAMES
from tests.support.faults import fault
from tests.support.games import catalogue
from tests.support.lobbies import SEED as LOBBY_SEED
from tests.support.lobbies import lucky_seed
from tests.support.tournament_hall import SEED, Hall

TEXT, READY = (Capability.CHAT, Capability.CHALLENGE), (Capability.READY,)
COMMANDS = {kind.__name__ for kind in get_args(commands.Command | commands.Query)}
HERE = {"address": "10.0.0.1"}
USUAL: dict[str, dict[str, Any]] = {
    "Enter": HERE | {"protocol": "text", "capabilities": TEXT},
    "Sit": {"room": 0},
    "TimeUp": {"match": 1},
    "RoomTimeUp": {"room": 0},
    "ChallengeTimeUp": {"challenge": 0},
    "TournamentTimeUp": {"tournament": 1},
    "Drain": {"within_ms": 600_000, "why": "over", "by": "teacher"},
    "Arrive": HERE | {"protocol": "gammonx", "capabilities": READY},
    "Book": HERE | {"game": "Hands", "options": {"length": "long"}, "seat_options": {"by_hand": True}},
}
UNNAMED = {"room", "match", "challenge", "tournament"}
"""Usual fields that may be said without their names, like all that are not usual."""
NAMES = {"Enter": {"name": ""}, "Arrive": {"identity": ""}, "Book": {"identity": "", "player": "gx-"}}
NAMES |= {request: {"identity": ""} for request in ("Unbook", "ShowTicket", "RecallTicket")}
"""Fields that have the name of whoever says it, and what stands before it."""
REQUESTS = ("Book", "Unbook", "ShowTicket", "RecallTicket")
WORD = re.compile(r'(?:[^\s"({\[]|"[^"]*"|\([^)]*\)|\{[^}]*\}|\[[^]]*])+')


hints_of = cache(get_type_hints)


def value_of(text: str, hint: Any) -> Any:
    """A field of a command or of rules, as its type says."""
    kinds, origin = get_args(hint) or (hint,), get_origin(hint)
    for kind in kinds:
        if isinstance(kind, type) and issubclass(kind, Enum):
            found = tuple(kind[word.upper()] for word in text.split(",") if word)
            return found if origin is tuple else found[0]
    if TimeControl in kinds:
        return TimeControl.read(text.replace("_", " "))
    if str in kinds and origin is not Mapping:
        return text.strip('"')
    found = json.loads(text)
    return tuple(found) if isinstance(found, list) else found


def built(kind: type, words: list[str], usual: dict[str, Any]) -> Any:
    """A command, an act or rules: what a line says, and where it says nothing what is usual."""
    hints = hints_of(kind)
    places = iter([name for name in hints if name not in usual or name in UNNAMED])
    said = {}
    for word in words:
        name, _, text = word.partition("=")
        if name not in hints:
            name, text = next(places), word
        said[name] = value_of(text, hints[name])
    return kind(**usual | said)


def shown(value: Any) -> str:
    """A value as the files write it."""
    if isinstance(value, Mapping):
        if value and not any(has(type(one)) for one in value.values()):
            return f"{{{', '.join(f'{shown(key)}: {shown(one)}' for key, one in value.items())}}}"
        value = list(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, TimeControl):
        return str(value).replace(" ", "_")
    if has(type(value)):
        return type(value).__name__
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def looked_up(value: Any, step: str) -> Any:
    """Follow a step of a path: to a key, a place, a player's seat, a field, or that of all values."""
    if isinstance(value, Match) and step in value.players:
        return value.seats[value.seat_of(step)]
    if step == "count":
        return len(value)
    if callable(value):
        return value(step)
    if isinstance(value, Mapping):
        found = {str(key): one for key, one in value.items()}
        return found[step] if step in found else [looked_up(one, step) for one in value.values()]
    if isinstance(value, list | tuple):
        return value[int(step)] if step.lstrip("-").isdigit() else [looked_up(one, step) for one in value]
    return getattr(value, step)


@define(slots=False)
class Conversation:
    """One conversation, and what has come of it so far."""

    title: str
    lines: list[str]
    games: list[str] = field(factory=list)
    rules: list[str] = field(factory=list)
    begins: list[str] = field(factory=list)
    sessions: dict[str, int] = field(factory=lambda: {"house": HOUSE_SESSION, "request": 90})
    """By the labels of connections; requests that need none have one of their own."""
    rows_before: int = 0
    is_journaled: bool = True

    @cached_property
    def hall(self) -> Hall:
        seed = lucky_seed(tuple(self.begins)) if self.begins else LOBBY_SEED
        return Hall(catalogue(*(GAMES[name] for name in self.games)), self.ruled(), seed=seed)

    def ruled(self) -> Rules:
        rules: Rules = built(Rules, self.rules, {"first_move_pause_ms": 0})
        return rules

    def perform(self) -> None:
        """Go through the lines; the line at which something is otherwise is noted in the error."""
        for line in self.lines:
            try:
                self.step(line)
            except Exception as error:
                error.add_note(f"at the line: {line}")
                raise
        if self.is_journaled:
            self.hall.check_restored()

    def step(self, line: str) -> None:
        for pattern, perform in STEPS:
            if found := re.fullmatch(pattern, line):
                perform(self, *found.groups())
                return
        self.command(line)

    def restart(self) -> None:
        self.hall.rules = self.ruled()
        self.hall.start()

    def start_in(self, who: str, room: str) -> None:
        self.command(f"{who} Sit {room}")
        self.command(f"{who} Ready")

    def passes(self, passed_ms: str) -> None:
        self.hall.now_ms += int(passed_ms)

    def compare(self, path: str, expected: str) -> None:
        assert (found := self.found(path)) == self.timed(expected), found

    def contains(self, path: str, part: str) -> None:
        assert part in (found := self.found(path)), found

    def is_nothing_written(self) -> None:
        assert len(self.hall.rows) == self.rows_before

    def session(self, who: str) -> int:
        return self.sessions.setdefault(who, len(self.sessions) - 1)

    def timed(self, text: str) -> str:
        """The text with the time for `now`."""
        return re.sub(r"\bnow([+-]\d+)?", lambda found: str(self.hall.now_ms + int(found[1] or 0)), text)

    def found(self, path: str) -> str:
        """Follow a path that begins at the lobby or the harness."""
        first, *steps = path.split(".")
        value = getattr(self.hall.lobby if hasattr(self.hall.lobby, first) else self.hall, first, None)
        if first == "match":
            value = self.hall.matches[-1]
        if callable(value):  # of an alarm's key, such as `awaited.rooms.0`
            value, steps = value((steps[0], int(steps[1]))), []
        return shown(reduce(looked_up, steps, value))

    def change_terms(self, changes: str) -> None:
        """Give the match other policies, which no journal tells of."""
        self.is_journaled = False
        (found,) = self.hall.matches
        policies = built(Policies, changes.split(" "), asdict(found.policies, recurse=False))
        self.hall.lobby.matches[found.id] = evolve(found, policies=policies)

    def hears(self, who: str, said: str) -> None:
        """Compare what a connection was told."""
        heard, told = self.hall.hear(self.session(who)), WORD.findall(said)
        kinds = [type(event).__name__ for event in heard]
        if told[0] == "no":
            assert hasattr(events, told[1]), "there is no such event"
            assert told[1] not in kinds, heard
            return
        among = told[0] == "also"
        lines = "".join(f"{word[:-1]}\n" if word.endswith(",") else f"{word} " for word in told[among:])
        expected = [] if told == ["nothing"] else [line.strip() for line in lines.split("\n")]
        if among:
            rest = iter(heard)
            assert all(any(self.is_like(one, event) for one in rest) for event in expected), heard
        else:
            assert kinds == [event.split(" ")[0] for event in expected], heard
            assert all(map(self.is_like, heard, expected)), heard

    def is_like(self, event: Any, told: str) -> bool:
        """True if the event is of this kind, and its fields are these."""
        kind, *said = WORD.findall(told)
        return type(event).__name__ == kind and all(
            shown(reduce(looked_up, path.split("."), event)) == self.timed(text.strip('"'))
            for path, _, text in (word.partition("=") for word in said)
        )

    def command(self, line: str) -> None:
        """Carry out a command, and compare its answer."""
        asked, _, refused = line.partition(" -> ")
        asked, _, read_ms = asked.partition(" read ")
        self.rows_before = len(self.hall.rows)
        answer = self.hall.do(self.said(*WORD.findall(asked)), self.hall.now_ms + int(read_ms or 0))
        if not refused:
            assert isinstance(answer, Accepted), answer
            return
        code, *facts = WORD.findall(refused)
        assert isinstance(answer, Rejected), answer
        assert answer.code.name == code, answer
        for fact in facts:
            name, is_equal, text = re.split("([=~])", fact.replace('"', ""), maxsplit=1)
            told = answer.facts.get(name, "none")
            assert told == text if is_equal == "=" else text in told, answer

    def said(self, who: str, *words: str) -> Any:
        """The command of a line."""
        if who in COMMANDS:
            return built(getattr(commands, who), list(words), USUAL.get(who, {}))
        what, *said = words
        if what == "creates":
            return self.created(*said)
        if what not in COMMANDS:
            return self.acted(what, said)
        name = who.rstrip("0123456789")
        usual = USUAL.get(what, {}) | {"session": self.session("request" if what in REQUESTS else who)}
        usual |= {own: prefix + name for own, prefix in NAMES.get(what, {}).items()}
        if what == "Book":
            usual["token"] = f"secret-{said[0]}"
        return built(getattr(commands, what), said, usual)

    def acted(self, what: str, said: list[str]) -> Any:
        """A teacher's act upon a tournament, the first one unless `of=2` says which."""
        number = next((int(word.removeprefix("of=")) for word in said if word.startswith("of=")), 1)
        kind = getattr(model, what)
        usual = {name: "teacher" for name in ("by", "why") if name in fields_dict(kind)}
        return Conduct(number, built(kind, [word for word in said if not word.startswith("of=")], usual))

    def created(self, which: str, *said: str) -> CreateTournament:
        """A tournament of that preset, with other settings."""
        settings: dict[str, Any] = {"name": "Cup of May", "game": "Countdown", "pause_ms": 0}
        settings |= {name: text.strip('"') for name, text in (word.split("=") for word in said)}
        if "clock" in settings:
            settings["clock"] = settings["clock"].replace("_", " ")
        for name, text in settings.items():
            if re.fullmatch(r"\d+|true|false", str(text)):
                settings[name] = json.loads(str(text))
        named = settings.pop("roster", None)
        roster = tuple(map(model.RegisterEntrant, named.split(","))) if named else ()
        entry = EntryMode[settings.pop("entry", "roster" if roster else "logged_in").upper()]
        return CreateTournament(preset(which, **settings), SEED, entry, roster, by="teacher")


STEPS: list[tuple[str, Callable[..., None]]] = [
    (r"@games (.+)", lambda self, names: self.games.extend(names.split(" "))),
    (r"@begins (.+)", lambda self, wishes: self.begins.extend(wishes.split(" "))),
    (r"@rules (.+)", lambda self, changes: self.rules.extend(changes.split(" "))),
    (r"terms (.+)", Conversation.change_terms),
    (r"forget", lambda self: self.hall.heard.clear()),
    (r"restart", Conversation.restart),
    (r"everybody plays on", lambda self: self.hall.play_out()),
    (r"nothing is written", Conversation.is_nothing_written),
    (r"(\S+) is ?(.*)", Conversation.compare),
    (r"(\S+) has (.+)", Conversation.contains),
    (r"(\S+) hears (.+)", Conversation.hears),
    (r"(\S+) meets a bug", lambda self, who: fault(self.hall, self.session(who))),
    (r"(\S+) starts in (\d+)", Conversation.start_in),
    (r"\+(\d+)", Conversation.passes),
]
"""Lines that are no command."""


def conversations(file: str) -> Iterator[Conversation]:
    """The conversations of a file, those of a table one for each row."""
    head, *bodies = re.split(r"^== ", file, flags=re.MULTILINE)
    begin: list[str] = []
    blocks: dict[str, list[str]] = {}
    for part in re.split(r"\n{2,}", head):
        lines = [line for line in part.splitlines() if not line.startswith("#")]
        if lines and lines[0].startswith(": "):
            blocks[lines[0].removeprefix(": ")] = lines[1:]
        else:
            begin += lines

    def whole(lines: list[str]) -> Iterator[str]:
        for line in lines:
            yield from whole(blocks[line]) if line in blocks else [line]

    def is_setting(line: str) -> bool:
        return line.startswith("@")

    for body in bodies:
        title, *said = [line for line in body.splitlines() if line and not line.startswith("#")]
        table = [[cell.strip() for cell in line.strip("|").split("|")] for line in said if line.startswith("|")]
        text = "\n".join(line for line in said if not line.startswith("|"))
        columns, *rows = table or [[], []]
        for row in rows:
            cells = {f"<{column}>": cell for column, cell in zip(columns, row, strict=True)}
            filled = reduce(lambda filled, word: filled.replace(word, cells[word]), cells, text)
            assert "<" not in filled, f"no column has this: {filled}"
            spoken = [line for part in filled.splitlines() for line in part.split("; ") if line]
            own = [*takewhile(is_setting, spoken)]
            lines = [*filter(is_setting, begin), *own, *whole([*filterfalse(is_setting, begin), *spoken[len(own) :]])]
            yield Conversation(": ".join([title, *row[:1]]), lines)
