"""Makes docs/settings.md, docs/commands.md and the table in docs/check.md from the definitions in the code.

    python -m scripts.make_reference           write the files
    python -m scripts.make_reference --check   say which are out of date, and exit with 1 if any is

A setting's meaning is the docstring below its field, its values are what its validators let through.
A command's page is made of what `--help` shows.
"""

import ast
import inspect
import json
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, get_args

import attrs
import click
from attrs import frozen

from gameserver.cli.effective_config import find_plugins
from gameserver.cli.main import COMMANDS, main
from gameserver.config import Settings
from gameserver.protocol import WireProtocol
from gameserver.settings import FIXED
from gameserver.time_control import TimeControl
from scripts.step_table import check_page

DOCS = Path(__file__).parents[1] / "docs"
MADE = "<!-- Generated from the code by `python -m scripts.make_reference`; a test compares the two. Do not edit. -->"

SETTINGS_TOP = f"""\
{MADE}

# Settings

A server needs none. What a course may want otherwise is in one TOML file, which `gameserver serve --config FILE` reads;
the same file is for the other commands. An unknown key or a bad value is an error that names it, and
`gameserver config` prints what is in force. The key `match.clock` is in the table `[match]`.
"""

LISTENERS = "listen"
"""The key that stands for the table of listeners."""


@frozen
class Wish:
    """A section of the settings' page: what somebody wants, what there is to know, and the keys for it."""

    title: str
    about: str
    keys: str


WISHES = (
    Wish(
        "Where everything is kept",
        "One file has all matches, ratings and tournaments. `--data FILE` names another one for one command.",
        "data journal.synchronous journal.commit_retry_s plugins",
    ),
    Wish(
        "Addresses and ports",
        """\
`listen.PROTOCOL`, or `listen."PROTOCOL:PROFILE"`, is `"HOST:PORT"`. The host `*` is every address of the machine, IPv4
and IPv6; `"off"` is none. Separate several addresses by commas; one that begins with `tls://` is encrypted. Without a
profile, the first is used. `serve --listen PROTOCOL=HOST:PORT` does the same on the command line.
[deployment.md](deployment.md) has examples.

```toml
[listen]
strategic = "*:7789, tls://*:7790"
mastermind = "off"
"strategic:2015" = "*:7791"      # for clients that wait for the banner of 2015
```
""",
        "listen tls.certificate tls.key http.url http.hosts admin.hosts admin.token",
    ),
    Wish(
        "The clock of a match, and the game of the rooms",
        """\
10 s is short for a student who looks at a debugger: give more. A tournament takes the preset's clock, unless one of
these differs from its default; a challenge can name a clock of its own.

```toml
[match]
clock = "turn 60s"
```
""",
        "match.clock rooms.clock tickets.clock rooms.game",
    ),
    Wish(
        "A tournament on a bad network",
        """\
Over the text protocol and in rooms, a lost connection loses the match at once. With a grace, the player logs in again
under the same name and plays on.

```toml
[match]
drop_grace_s = 30.0
late_margin_ms = 1000
```
""",
        "match.drop_grace_s tickets.drop_grace_s match.late_margin_ms match.seat_return",
    ),
    Wish(
        "One room behind one router",
        """\
Where all players come from one address, they share its limits, and by its address nobody is told from the others: give
[secrets](roster.md). A proxy of your own should say whose connection it passes on.

```toml
[limits]
connections_per_address_max = 2000
```
""",
        "limits.connections_per_address_max limits.connections_max limits.trusted_proxies",
    ),
    Wish(
        "A graded event",
        "[roster.md](roster.md) explains the list of names and secrets, and how grades come out of it.",
        "lobby.roster lobby.roster_only lobby.gammonx_secret_required gammonx.jwt_secret match.rated",
    ),
    Wish(
        "A season of several events",
        """\
[season.md](season.md) has the example of a course of ten weeks. NAME, such as `spring`, is a part of the address of
its page. The table `[season.NAME.grades]` may be left out.

```toml
[season.spring]
title = "Spring 2027"
events = ["Week *"]
best = 8
```
""",
        "season.NAME.title season.NAME.events season.NAME.points season.NAME.best season.NAME.team_best"
        " season.NAME.grades.lowest season.NAME.grades.highest season.NAME.grades.decimals"
        " season.NAME.grades.lowest_at season.NAME.grades.highest_at",
    ),
    Wish(
        "Practice against the house",
        "House players are there at any time. [deployment.md](deployment.md#house-players) tells what they cost.",
        "lobby.house_players house.pace house.seed house.thinkers_max",
    ),
    Wish(
        "Chess, go and other games of OpenSpiel",
        """\
[open_spiel.md](open_spiel.md) has the list, and says what cannot be played. `gameserver plugins --config FILE` tells
what became of each.

```toml
[openspiel]
games = ["default", "nim", {name = "Hex-13", game = "hex(board_size=13)"}]
```
""",
        "openspiel.games",
    ),
    Wish(
        "Clients of earlier years",
        "Profiles (above) imitate the servers for which such clients were written. These settings help single ones.",
        "match.first_move_pause_ms match.reasons lobby.messages rooms.move_pause_ms"
        " connect-four.time_elapsed_error gammonx.maps_moves",
    ),
    Wish(
        "Several halls over one database",
        "[postgresql.md](postgresql.md) explains halls, and servers that stand by.",
        "hall.name",
    ),
    Wish(
        "Looking for a fault, and stopping",
        "`gameserver blame` and the players' own pages find most faults of a bot; these settings tell more.",
        "log.level wire_log.directory match.drain_s",
    ),
)
"""The sections of the settings' page. Each key is in one of them."""

COMMANDS_TOP = f"""\
{MADE}

# Commands

`gameserver COMMAND --help` shows the same at the prompt. A command exits with 0 on success,
1 if it cannot start or go on (a port is taken, the data file is in use or damaged, the disk stays full), and 2 if a
setting or an argument is wrong. One line says what is wrong and why.

`--config FILE` is the TOML file with the [settings](settings.md). `--data FILE` is the data file, `gameserver.sqlite3`
by default. For a command on a running server, give the same two options as to that server.

| command | what it does |
|---|---|
"""

SHARED = {"config_file", "data"}
"""Options of most commands, explained once."""
WRAPPED: Any = {"subsequent_indent": "    ", "break_on_hyphens": False}
METAVARS = {"integer range": "NUMBER", "float range": "NUMBER", "integer": "NUMBER", "path": "FILE"}


def settings_page() -> str:
    """Writes docs/settings.md: every key with its default, values and meaning, by what one wants."""
    found = find_plugins(installed=False)
    rows = dict(_rows(Settings)) | {LISTENERS: ""}
    for name, plugin in found.configured.items():
        rows |= _rows(plugin.options_type, f"{name}.")
    texts = [SETTINGS_TOP]
    for wish in WISHES:
        keys = wish.keys.split()
        texts.append(f"## {wish.title}\n\n{wish.about.rstrip()}\n")
        if LISTENERS in keys:
            texts.append("| protocol | default | profiles |\n|---|---|---|\n" + _listeners(found.protocols))
        table = "".join(rows.pop(key) for key in keys)
        texts.append(f"| key | default | values | meaning |\n|---|---|---|---|\n{table}")
    assert not rows, f"settings that no section of WISHES has: {', '.join(rows)}"
    return "\n".join(texts)


def commands_page() -> str:
    """Writes docs/commands.md: every command with its arguments and options, as `--help` has them."""
    summaries = "".join(
        f"| [`gameserver {name}`](#gameserver-{name}) | {entry.summary} |\n" for name, entry in COMMANDS.items()
    )
    context = click.Context(main, info_name="gameserver")
    sections = [
        section
        for name in COMMANDS
        if (command := main.get_command(context, name)) is not None
        for section in _command_sections(command, name, context)
    ]
    return "\n".join([COMMANDS_TOP + summaries, *sections])


PAGES = {"settings.md": settings_page, "commands.md": commands_page, "check.md": check_page}


def field_docs(kind: type) -> dict[str, str]:
    """Reads the docstring below each field of a settings class, for the reference pages."""
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(body, ast.ClassDef)
    found = {}
    for field, text in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            assert isinstance(field.target, ast.Name)
            found[field.target.id] = _one_line(str(text.value.value))
    return found


def _rows(kind: type, prefix: str = "") -> Iterator[tuple[str, str]]:
    """The keys of a table and of those in it, each with its row."""
    docs = field_docs(kind)
    for field in attrs.fields(kind):
        default, key = _default(field), f"{prefix}{field.name}"
        if isinstance(default, TimeControl):
            yield key, f"| `{key}` | `{json.dumps(str(default))}` | a clock | {docs[field.name]} |\n"
        elif attrs.has(type(default)):
            yield from _rows(type(default), f"{key}.")
        elif table := next(filter(attrs.has, get_args(field.type)), None):  # may be missing, or several by name
            yield from _rows(table, f"{key}." if default is None else f"{key}.NAME.")
        elif field.metadata != FIXED and key != LISTENERS:
            yield key, f"| `{key}` | `{json.dumps(default)}` | {_values(field)} | {docs[field.name]} |\n"


def _listeners(protocols: Mapping[str, WireProtocol]) -> str:
    rows = [
        f'| `{name}` | `"{protocol.default_host}:{protocol.default_port}"` | {_quoted(protocol.profiles)} |\n'
        for name, protocol in protocols.items()
        if protocol.default_port is not None
    ]
    return "".join(rows)


def _default(field: "attrs.Attribute[Any]") -> Any:
    made = getattr(field.default, "factory", None)
    return field.default if made is None else made()


def _values(field: "attrs.Attribute[Any]") -> str:
    """The values that the field accepts, as far as its validators show."""
    default = _default(field)
    if isinstance(default, StrEnum):
        return _quoted([json.dumps(choice) for choice in type(default)])
    if isinstance(default, bool):
        return "`true`, `false`"
    bounds: dict[str, Any] = {}
    for validator in _validators(field.validator):
        if choices := getattr(validator, "options", None):
            return _quoted([json.dumps(choice) for choice in choices])
        if operator := getattr(validator, "compare_op", None):
            bounds[operator] = validator.bound
    if {">=", "<="} <= bounds.keys():
        return f"{bounds['>=']} to {bounds['<=']}"
    words = {">=": "at least", ">": "above", "<=": "at most"}
    return ", ".join(f"{words[operator]} {bound}" for operator, bound in bounds.items())


def _validators(validator: Any) -> Iterator[Any]:
    """A validator, or those that attrs put together in one."""
    yield from getattr(validator, "_validators", (validator,))


def _command_sections(command: click.Command, name: str, parent: click.Context, level: int = 2) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent)
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    words = [_synopsis(option) for option in options]
    words += [piece for piece in command.collect_usage_pieces(context) if piece != command.options_metavar]
    lines = textwrap.wrap(f"{context.command_path} {' '.join(words)}", 110, **WRAPPED)
    usage = "\n".join(lines).replace("\u00a0", " ")
    head = f"{'#' * level} {context.command_path}\n\n"
    text = f"{head}```\n{usage}\n```\n\n{_help_text(command)}\n"
    if rows := [_option_row(option) for option in options if option.name not in SHARED]:
        text += "\n| option | meaning |\n|---|---|\n" + "".join(rows)
    yield text
    if isinstance(command, click.Group):
        for known in command.list_commands(context):
            under = command.get_command(context, known)
            if under is not None:
                yield from _command_sections(under, known, context, level + 1)


def _help_text(command: click.Command) -> str:
    return inspect.cleandoc((command.help or "").replace("\b\n", ""))


def _synopsis(option: click.Option) -> str:
    written = f"{max(option.opts, key=len)}{_metavar(option)}".replace(" ", "\u00a0")  # not to be wrapped within
    return (written if option.required else f"[{written}]") + (" ..." if option.multiple else "")


def _option_row(option: click.Option) -> str:
    written = ", ".join(f"`{one}{_metavar(option)}`" for one in option.opts).replace("|", "\\|")
    notes = [option.help or ""]
    if option.required:
        notes.append("Required.")
    elif option.show_default and not callable(option.default):
        notes.append(f"Default: `{option.default}`.")
    if option.multiple and not {"repeated", "times"}.intersection(notes[0].replace(".", " ").split()):
        notes.append("May be repeated.")
    return f"| {written} | {_one_line(' '.join(notes))} |\n"


def _metavar(option: click.Option) -> str:
    if option.is_flag:
        return ""
    if isinstance(option.type, click.Choice):
        return " " + "|".join(map(str, option.type.choices))
    if option.name in SHARED:
        return " FILE"
    return f" {option.metavar or METAVARS.get(option.type.name, option.type.name.upper())}"


def _quoted(texts: Sequence[str]) -> str:
    return ", ".join(f"`{text}`" for text in texts)


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def write(*, check: bool) -> int:
    """Writes the reference pages, or only looks whether they are stale; gives the exit code."""
    stale = 0
    for name, make in PAGES.items():
        path, text = DOCS / name, make()
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if check:
            print(f"docs/{name} is not what the code says; run `python -m scripts.make_reference`")
        else:
            path.write_text(text, encoding="utf-8")
            print(f"wrote docs/{name}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(write(check="--check" in sys.argv[1:]))
