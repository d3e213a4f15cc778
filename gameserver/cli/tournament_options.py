"""Options that the commands about tournaments share: the tournament, its plan, its entrants."""

import csv
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console

from gameserver.admin.client import AdminClient
from gameserver.cli.common import CommandFailed, WrongSettings
from gameserver.core.commands import ENTRANTS_MAX, EntryMode
from gameserver.tournaments.model import RATING_MAX, TEAM_LENGTH_MAX
from gameserver.tournaments.plan import read_stages, stages_text
from gameserver.tournaments.presets import PRESETS, preset_for_stages, read_setting, summary_of_fields

F = TypeVar("F", bound=Callable[..., Any])

OVER = ("over", "cancelled")

tournament_option = click.option(
    "--tournament",
    "-t",
    "which",
    metavar="NUMBER|NAME",
    help="The tournament; by default the latest that is not over, or the latest if all are over.",
)


class OfTournament(click.Command):
    """A command about one tournament: to a word too many it answers how a tournament is named."""

    allow_extra_args = True
    """The words too many come to `parse_args` here, instead of being refused without a hint."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments of a command about a tournament. Raises `UsageError` if something is left over."""
        super().parse_args(ctx, args)
        if ctx.args and not ctx.resilient_parsing:
            words = ", ".join(map(repr, ctx.args))
            raise click.UsageError(f"Too many arguments: {words}. The tournament is named by -t NUMBER|NAME.", ctx)
        return ctx.args


_USUAL_PRESET = "hanze"
_PRESET_HELP = (
    f"The plan to start from: by default {_USUAL_PRESET}, or with --stages one that fits them. "
    "It sets these fields, which --set overrides: "
    + "; ".join(f"{which}: {summary_of_fields(which)}" for which in PRESETS)
    + ". A clock in the server's settings goes before the preset's."
)

set_option = click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Override a field of the preset's plan."
)


def preset_option(parameter: str) -> Callable[[F], F]:
    """The option that chooses a tournament's preset, as this parameter of the command."""
    choice = click.Choice(list(PRESETS))
    return click.option("--preset", parameter, type=choice, help=_PRESET_HELP, default=None)


stages_option = click.option(
    "--stages",
    metavar="STAGES",
    help='Several stages, such as "groups of 4, best 2 -> knockout" or "swiss 5 rounds, best 8 -> knockout, 3 games".',
)


def chosen_plan(which: str | None, stages: str | None, settings: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """Resolves a tournament's options to a preset and what is otherwise than in it. Raises `WrongSettings`."""
    changes = dict(setting(text) for text in settings)
    if stages is None:
        return which or _USUAL_PRESET, changes
    try:
        return which or preset_for_stages(stages), changes | {"stages": stages_text(read_stages(stages))}
    except ValueError as error:
        raise WrongSettings(f"--stages: {error}") from error


def plan_options(command: F) -> F:
    """Gives a command the options that say what a tournament is to be."""
    options = (
        click.option("--game", required=True, help="The game, as `gameserver plugins` lists it."),
        preset_option("preset"),
        stages_option,
        set_option,
        click.option(
            "--entry",
            type=click.Choice([entry.value for entry in EntryMode]),
            default=EntryMode.LOGGED_IN.value,
            show_default=True,
            help="Who enters when it starts, besides the players named by other options.",
        ),
        click.option(
            "--roster",
            type=click.Path(path_type=Path, dir_okay=False, exists=True),
            help="A file of players, one per line: NAME or NAME,RATING; or a table with a column `name`.",
        ),
        click.option(
            "--house",
            "house",
            multiple=True,
            metavar="NAME[*COUNT]",
            help="Add house players, such as house-random*3.",
        ),
        click.option(
            "--start-at",
            metavar="HH:MM",
            help="The time at which you mean to start it, for the page to count down to.",
        ),
        click.option(
            "--until",
            metavar="HH:MM",
            help="The time by which it has to be over: a plan that may not be is refused, and one that is proposed.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


check_option = click.option(
    "--check",
    "only_checks",
    is_flag=True,
    help="Say when it would end and which settings would hurt, and begin nothing. The exit code is 1 if any would.",
)


def check_before(console: Console, server: AdminClient, wanted: dict[str, Any]) -> None:
    """Says for `--check` when the tournament would end and what would hurt it; exits with 1 if anything would."""
    answer = server.post("tournaments", "check", **wanted)
    for sentence in answer["forecast"]:
        console.print(sentence, soft_wrap=True)
    found = answer["warnings"]
    for warning in found or ["nothing was found that would hurt at the event"]:
        console.print(warning, soft_wrap=True)
    if found:
        raise SystemExit(1)


def creation(
    name: str,
    game: str,
    preset: str | None,
    settings: Sequence[str],
    entry: str,
    roster: Path | None,
    house: Sequence[str],
    by: str,
    stages: str | None = None,
    until: str | None = None,
    start_at: str | None = None,
) -> dict[str, Any]:
    """Puts the options of a new tournament into the request to the admin listener."""
    players = [*(read_roster(roster) if roster is not None else ()), *_house(house)]
    which, changes = chosen_plan(preset, stages, settings)
    if start_at is not None:
        changes["starts_at_ms"] = int(time.time()) * 1000 + _from_now_ms("--start-at", start_at)
    return {
        "preset": which,
        "name": name,
        "game": game,
        "changes": changes,
        "entry": entry,
        "roster": players,
        "by": by,
        "within_ms": 0 if until is None else _from_now_ms("--until", until),
    }


def _from_now_ms(option: str, time_of_day: str) -> int:
    from gameserver.tournaments.forecast import until_ms  # noqa: PLC0415 - most commands do without

    try:
        return until_ms(time_of_day, time.localtime()[3:6])
    except ValueError as error:
        raise WrongSettings(f"{option}: {error}") from error


def read_roster(file: Path) -> list[dict[str, Any]]:
    """Reads the entrants of a tournament from `--roster`, a line each: a name, and a rating if there is one.

    Blank lines are left out.

    The server's own roster will do too: where the first line names a column `name`, that one counts, and
    the columns `rating`, `team` and `gammonx_id` if there are any. Comma, semicolon and tab are all understood.
    """
    players: list[dict[str, Any]] = []
    for number, line in _lines(file, ("name", "rating")):
        rating = line["rating"]
        if rating and _number_in(rating, RATING_MAX) is None:
            raise WrongSettings(f"{file}, line {number}: {rating!r} is not a rating; write NAME or NAME,RATING")
        player: dict[str, Any] = {"player": line["name"], "rating": int(rating or 0)}
        # A tournament of PlayerIds alone waited for players who never came: a PlayerId is its student.
        if line.get("gammonx_id"):
            player["gammonx_id"] = line["gammonx_id"]
        if line.get("team"):
            player["team"] = line["team"][:TEAM_LENGTH_MAX]
        players.append(player)
    return players


def student_ids_in(file: Path | None) -> dict[str, str]:
    """Reads the option `--roster` for students' ids for the grades, by player, from the file's column `id`.

    There are none without a file, or where its columns have no names.
    """
    lines = _lines(file, ("name",)) if file is not None else ()
    return {line["name"]: line["id"] for _, line in lines if line.get("id")}


def _lines(file: Path, unnamed: Sequence[str]) -> Iterator[tuple[int, Mapping[str, str]]]:
    """The lines of a table with their numbers, by column. Without a head its columns are the `unnamed`."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise WrongSettings(f"{file} cannot be read: {error}") from error
    separator = max(",;\t", key=text.count)
    try:
        lines = csv.reader(text.splitlines(keepends=True), delimiter=separator, strict=True)
        rows = [[cell.strip() for cell in row] for row in lines]
    except csv.Error as error:
        raise WrongSettings(f"{file} is not a CSV table: {error}; is there a quotation mark too many?") from error
    head = [cell.lower() for cell in rows[0]] if rows else []
    columns = head if "name" in head else unnamed
    for number, row in enumerate(rows, start=1):
        if "".join(row) and (number > 1 or columns is unnamed):
            yield number, dict.fromkeys(unnamed, "") | dict(zip(columns, row, strict=False))


def _house(names: Sequence[str]) -> list[dict[str, Any]]:
    """House players, `house-random*3` as house-random, house-random-2, house-random-3."""
    found = []
    for text in names:
        name, star, count = text.partition("*")
        many = _number_in(count, ENTRANTS_MAX) if star else 1
        if not many:
            raise WrongSettings(f"{text!r}: a number must follow the star, such as house-random*3")
        found += [name if number == 1 else f"{name}-{number}" for number in range(1, many + 1)]
    return [{"player": name} for name in found]


def _number_in(text: str, most: int) -> int | None:
    """A whole number from 0 to so many; None where it is none."""
    # Python refuses to read numbers of more than 4,300 digits, and takes digits of every script for numbers.
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    return int(text) if is_number and int(text) <= most else None


def setting(text: str, option: str = "--set") -> tuple[str, Any]:
    """Reads a field of a tournament's plan and its value. Raises `WrongSettings`, which names the `option`."""
    try:
        return read_setting(text)
    except ValueError as error:
        raise WrongSettings(f"{option}: {error}") from error


def number_of(server: AdminClient, which: str | None) -> int:
    """Resolves the option `--tournament` to the number of the tournament that it means. Raises `CommandFailed`."""
    listed = server.get("tournaments")["tournaments"]
    if which is None:
        open_ones = [one for one in listed if one["phase"] not in OVER]
        found = open_ones or listed
    else:
        found = [one for one in listed if which in {str(one["number"]), one["name"]}]
        if not found and which.isascii() and which.isdigit():
            # Matches of two are in no list, and a list ends somewhere.
            found = [server.get("tournaments", which)]
    if not found:
        meant = "there is no tournament" if which is None else f"there is no tournament {which!r}"
        raise CommandFailed(f"{meant}; `gameserver tournament create` makes one, `list` shows all")
    return int(found[-1]["number"])
