"""The command `gameserver play mastermind`: chooses the maker, the breaker and the look."""

import random
from collections.abc import Sequence
from functools import partial

import click
from rich.console import Console
from rich.text import Text

from games.mastermind import (
    BREAKERS,
    Code,
    ComputerPlayer,
    Configuration,
    GameEngine,
    HumanPlayer,
    Player,
    Turn,
    possible_codes,
)
from games.mastermind.solver import LISTED_CODES_MAX, most_parts
from games.mastermind.terminal.palette import COLOUR_COUNT_MAX, PALETTES
from games.mastermind.terminal.terminal_io import QUITS, Quit, TerminalIO
from gameserver.game import Choose

HUMAN, COMPUTER = "human", "computer"
WHO = click.Choice([HUMAN, COMPUTER])


@click.command(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option("--maker", type=WHO, help="Who makes the code.  [default: ask]")
@click.option("--breaker", type=WHO, help="Who breaks the code.  [default: ask]")
@click.option("--strategy", type=click.Choice(list(BREAKERS)), default="most-parts", help="How the computer guesses.")
@click.option("--palette", type=click.Choice(list(PALETTES)), default="classic", help="Which colours there are.")
@click.option("--length", type=click.IntRange(1, 12), default=4, help="How many places a code has.")
@click.option("--colours", type=click.IntRange(2, COLOUR_COUNT_MAX), default=6, help="How many colours there are.")
@click.option("--turns", type=click.IntRange(1, 100), default=12, help="How many guesses there are.")
@click.option("--seed", type=int, help="Play the computer's part the same way each time.")
def mastermind(
    *,
    maker: str | None,
    breaker: str | None,
    strategy: str,
    palette: str,
    length: int,
    colours: int,
    turns: int,
    seed: int | None,
) -> None:
    """Play Mastermind: one makes a secret code of colours, the other breaks it by guessing.

    Colours can be typed by name, initial or number; they have letters and shapes too, so that nobody
    needs to tell them apart by colour. NO_COLOR=1 switches colours off.
    """
    console = Console(highlight=False)
    choose = random.Random(seed).choice if seed is not None else random.SystemRandom().choice  # noqa: S311 - a seed was asked for
    configuration = Configuration(length, colours, turns)
    io = TerminalIO(console, PALETTES[palette].first(colours), partial(_hint, choose))

    def player(who: str, name: str) -> Player:
        return HumanPlayer(name, io) if who == HUMAN else ComputerPlayer(name, choose, BREAKERS[strategy])

    try:
        while True:
            makes, breaks = _roles(console, maker, breaker)
            people = (makes, breaks).count(HUMAN)
            io.shows_secret = breaks == COMPUTER and makes == HUMAN
            io.waits = io.shows_secret and console.is_terminal
            io.hides_entry = people == 2 and console.is_terminal
            io.show_help()
            GameEngine(configuration, io, player(makes, "Code maker"), player(breaks, "Code breaker")).run()
            if not people or not io.wants_another_game():
                return
    except Quit:
        io.show_goodbye()


COMMAND = mastermind


def _roles(console: Console, maker: str | None, breaker: str | None) -> tuple[str, str]:
    """The maker and the breaker. A role that was not given goes to the other side; if neither was given, ask."""
    if maker is None and breaker is None:
        while True:
            try:
                answer = console.input(Text("Do you want to make or to break the code? [break]> ")).strip().casefold()
            except (EOFError, KeyboardInterrupt):
                console.print()
                raise Quit from None
            if answer in QUITS:
                raise Quit
            if "breaker".startswith(answer):
                return COMPUTER, HUMAN
            if "maker".startswith(answer):
                return HUMAN, COMPUTER
            console.print("Type make or break.")
    other = {HUMAN: COMPUTER, COMPUTER: HUMAN}
    if maker is None:
        assert breaker is not None, "one of them was named"
        return other[breaker], breaker
    return maker, breaker or other[maker]


def _hint(choose: Choose[int], configuration: Configuration, turns: Sequence[Turn]) -> tuple[Code, int | None]:
    """The best guess that the computer knows, and how many codes are left where they can be counted."""
    count = len(possible_codes(configuration, turns)) if configuration.code_count <= LISTED_CODES_MAX else None
    return most_parts(configuration, turns, choose), count
