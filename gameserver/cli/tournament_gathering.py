"""Counts the people who are there for a tournament that gathers. House players are always there and do not count."""

from collections.abc import Mapping
from typing import Any

import click

from gameserver.cli.agreement import confirmed
from gameserver.core.commands import EntryMode

HOUSE_PREFIX = "house-"
yes_to_start_option = click.option("--yes", is_flag=True, help="Begin without asking, whoever is missing.")


def people_here(lobby: Mapping[str, Any], view: Mapping[str, Any], entry: str) -> list[str]:
    """The people who would play if the tournament began now: logged in, and entered or let in by its entry mode.

    `lobby` and `view` are answers of the admin listener: the server's status, and the tournament.
    """
    entered = {row["name"] for row in view["standings"]}
    with_ticket = {ticket["player"] for ticket in lobby["tickets"] if ticket["game"] == view["game"]}

    def would_play(player: Mapping[str, Any]) -> bool:
        if player["name"] in entered or entry == EntryMode.ROSTER:
            return player["name"] in entered
        if entry == EntryMode.SUBSCRIBED and player["name"] not in with_ticket:
            return player["seeks"] == view["game"] or player["table"] is not None
        return player["is_callable"] or player["name"] in with_ticket

    return sorted(player["name"] for player in lobby["players"] if would_play(player) and not _is_house(player["name"]))


def absent_people(view: Mapping[str, Any], here: list[str]) -> list[str]:
    """The people who were entered by name and are not there."""
    return sorted(row["name"] for row in view["standings"] if row["name"] not in here and not _is_house(row["name"]))


def ask_for_absent(command: str, lobby: Mapping[str, Any], view: Mapping[str, Any], *, is_sure: bool) -> None:
    """Say who was entered by name and is not there, and ask whether to begin. Raises `CommandFailed` if not."""
    absent = absent_people(view, people_here(lobby, view, EntryMode.ROSTER))
    lines = [f"Not logged in: {', '.join(absent)}. Their matches wait for them, and then are lost."] if absent else []
    confirmed(command, lines, "Begin without them?", is_sure=is_sure)


def missing_people(here: list[str], wanted: int | None) -> int:
    """The number of people who are waited for, whoever they are; 0 if none were asked for."""
    return 0 if wanted is None else max(0, wanted - len(here))


def gathering_line(here: list[str], absent: list[str], wanted: int | None) -> str:
    """Tells who is there, how many are still missing, and who of those that were entered by name."""
    of = "" if wanted is None else f" of {wanted}"
    noun = "player" if (len(here) if wanted is None else wanted) == 1 else "players"
    missing = missing_people(here, wanted)
    line = f"{len(here)}{of} {noun} here" + (f", {missing} still missing" if missing else "")
    line += f"; here: {', '.join(here)}" if here else ""
    return line + (f"; not logged in: {', '.join(absent)}" if absent else "")


def _is_house(name: str) -> bool:
    return name.startswith(HOUSE_PREFIX)
