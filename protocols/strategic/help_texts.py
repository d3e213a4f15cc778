"""The pages of `help`, `help <command>` and `help <game>`. A real client counts the lines of `help get`: 8 with OK.

The pages of commands are an original's, byte for byte. Where no original is imitated, `MORE` adds to them, and the
lines of games' pages are broken to fit a terminal.

Suggestions of the word that a player may have meant, and the command to write instead, are for profiles that imitate no
original.
"""

import difflib
import re
import textwrap
from collections.abc import Iterable, Mapping
from itertools import groupby

from gameserver.protocol import Code, Rejected
from protocols.strategic.parsing import ALIASES, BLANKS, INTEGER, MESSAGE_LENGTH_MAX, GameNames, Verb
from protocols.wording import echo

_LINE_LENGTH_MAX = 71
"""With `SVR HELP ` before it, a line fills a terminal of 80 columns."""

_IN_COLUMNS = re.compile(r" *\S+(?: \S+)* {2,}(?=\S)")
"""Matches everything before the second column of a row."""

MORE: Mapping[Verb, tuple[str, ...]] = {
    Verb.MOVE: (
        "",
        "What a move looks like depends on the game: type 'help <game>', such as",
        "'help Reversi'. 'get board' shows the position, numbered where the game",
        "has numbers.",
    ),
    Verb.CHALLENGE: (
        "",
        "A clock in the place of <sec> gives each player a bank of time for the",
        "whole match, perhaps with some seconds more for each turn:",
        '  challenge "bob" "Reversi" "5m, turn 60s"',
        '  challenge "bob" "Reversi" "3m+2s, turn 60s"',
        "'get match' shows what is left. A player whose bank is used up loses.",
    ),
    Verb.CONTRIBUTE: (
        "",
        "Dice and lots of the match then depend on these bytes, too, so that the",
        "server cannot have chosen them. They replace earlier ones, and serve one",
        "match. Write, with random digits of your own: contribute 5e1fc0de2a00ff07",
    ),
}

# The words of the 2016 server's help, byte for byte: joost's client reads exactly eight lines of `help get`, and
# takes the names of the arguments from between angle brackets.
_DESCRIPTIONS = {
    Verb.LOGIN: "Login as player",
    Verb.LOGOUT: "Logout and disconnect",
    Verb.GET: "Get server data",
    Verb.SUBSCRIBE: "Subscribe for a game",
    Verb.UNSUBSCRIBE: "Unsubscribe from the game",
    Verb.MOVE: "Make a game move in current match",
    Verb.FORFEIT: "Forfeit current match",
    Verb.CHALLENGE: "Handle challenges",
    Verb.MESSAGE: "Send a message to a player",
    Verb.HELP: "Displays this help information",
}

_USAGES = {
    Verb.LOGIN: "login <player name>",
    Verb.LOGOUT: "logout",
    Verb.GET: "get <gamelist | playerlist>",
    Verb.SUBSCRIBE: "subscribe <game>",
    Verb.UNSUBSCRIBE: "unsubscribe",
    Verb.MOVE: "move <game move>",
    Verb.FORFEIT: "forfeit",
    Verb.CHALLENGE: "challenge [accept] [args]",
    Verb.MESSAGE: 'message "<player>" <text>',
    Verb.HELP: "help [command]",
    Verb.CONTRIBUTE: "contribute <hex>",
}

_ARGUMENTS: Mapping[Verb, Mapping[str, str]] = {
    Verb.LOGIN: {"<player name>": "Name to login with"},
    Verb.GET: {"<gamelist>": "Available games", "<playerlist>": "Currently logged in players"},
    Verb.SUBSCRIBE: {"<game>": "Game name to subscribe to"},
    Verb.MOVE: {"<game move>": "Game-specific move to make"},
    Verb.CHALLENGE: {
        '"<player>" "<game>"': "Challenge player for game",
        '"<player>" "<game>" <sec>': "Challenge with so many seconds for each turn",
        "accept <challenge number>": "Accept challenge",
        "forfeit": "Forfeit current match",
    },
    Verb.MESSAGE: {'"<player>"': "Receiver", "<text>": f"At most {MESSAGE_LENGTH_MAX} characters"},
    Verb.HELP: {"<command>": "Command to display detailed help information for"},
    Verb.CONTRIBUTE: {"<hex>": "1 to 32 bytes, two digits each"},
}


def overview(title: str) -> list[str]:
    """Lists all commands of the text protocol, for `help`."""
    return [
        f"Help information for {title} commands.",
        "",
        "For more information on a command, type 'help <command>'.",
        "",
        "Available commands:",
        *(f"{verb.value:<13}: {words}" for verb, words in _DESCRIPTIONS.items()),
    ]


def beyond_commands(pages_url: str) -> list[str]:
    """Adds to the text protocol's `help` what is not a command."""
    lines = [
        "",
        "help <game>  : How to write a move, and what loses",
        "get board    : The position of your match",
        "get match    : Your match, or the last one: turn, time left, its page",
        "get fairness : What proves afterwards that no dice or lots were chosen",
        "contribute   : Add bytes of your own to the chance of your next match",
    ]
    if pages_url:
        lines += ["", f"Matches to look at, move by move: {pages_url}/matches"]
    return lines


def details(verb: Verb) -> list[str]:
    """Describes one command of the text protocol, for `help <command>`."""
    lines = [f"Help information for command '{verb.value}'.", "", f"usage: {_USAGES[verb]}"]
    arguments = _ARGUMENTS.get(verb, {})
    if arguments:
        width = max(map(len, arguments)) + 4
        lines += ["", "Valid options and arguments:"]
        lines += [f"  {argument:<{width}}: {meaning}" for argument, meaning in arguments.items()]
    if verb in ALIASES:
        lines += ["", "Command aliases: " + ", ".join(f"'{alias}'" for alias in ALIASES[verb])]
    return lines


def of_game(game: str, guide: str) -> list[str]:
    """Explains a game, for the text protocol's `help <game>`."""
    return [f"Help information for game '{game}'.", "", *guide.splitlines()]


def fitted(lines: Iterable[str]) -> list[str]:
    """Fits lines of the text protocol's help into a terminal; a row of a table goes on in its column."""
    found: list[str] = []
    for is_prose, group in groupby(lines, key=_is_prose):
        part = list(group)
        if max(map(len, part)) <= _LINE_LENGTH_MAX:
            found += part
        elif is_prose:
            found += textwrap.wrap(" ".join(map(str.strip, part)), _LINE_LENGTH_MAX, break_on_hyphens=False)
        else:
            found += [each for line in part for each in _row(line)]
    return found


def _is_prose(line: str) -> bool:
    return bool(line) and not line.startswith(" ") and _IN_COLUMNS.match(line) is None


def _row(line: str) -> list[str]:
    columns = _IN_COLUMNS.match(line)
    indent = " " * (len(line) - len(line.lstrip()) if columns is None else columns.end())
    return textwrap.wrap(line, _LINE_LENGTH_MAX, subsequent_indent=indent, break_on_hyphens=False) or [line]


_OTHER_QUOTES = "'\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb"
"""Quotes that word processors put for a straight one, and that shells and programming languages use."""

_LENGTH_MAX = 40
"""A longer word is no slip of the hand, and comparing it would take long."""
_LIKENESS_MIN = 0.75


def closest(word: str, candidates: Iterable[str] | Mapping[str, str]) -> str | None:
    """Helps with a misspelt word: finds the one that was meant; of a mapping, what the nearest key stands for.

    Only letters and digits count, in any case: `TicTacToe` is `Tic-tac-toe`.
    """
    if len(word) > _LENGTH_MAX:
        return None
    pairs = candidates.items() if isinstance(candidates, Mapping) else ((each, each) for each in candidates)
    meant = {_plain(written): stands_for for written, stands_for in pairs}
    # By judgement: a slip of one letter in four is still meant.
    found = difflib.get_close_matches(_plain(word), meant, n=1, cutoff=_LIKENESS_MIN)
    return meant[found[0]] if found else None


def suggested(text: str, meant: str | None) -> str:
    """Helps a player of the text protocol who misspelt a word: adds "did you mean" to the complaint."""
    return f"{text}, did you mean '{meant}'?" if meant else text


def what_is_missing(argument: str, games: GameNames) -> str:
    """Advises a player of the text protocol whose `challenge` was not understood."""
    word, _, rest = argument.partition(" ")
    name = argument.strip('"' + BLANKS)
    if word.lower() == "accept":
        return ", the number stands in CHALLENGENUMBER: challenge accept 7"
    if argument and argument[0] in _OTHER_QUOTES:
        return ', only straight double quotes count: challenge "house-random" "Reversi" 300'
    if name and games.spelled(name) in games.known.values():
        return f', the player is missing: challenge "house-random" "{games.spelled(name)}"'
    if name and '"' not in name and (not rest or argument.startswith('"')):
        return f', the game is missing: challenge "{echo(name)}" "Reversi"'
    return _nearly_a_challenge(argument, games)


def _nearly_a_challenge(argument: str, games: GameNames) -> str:
    """The fault behind the player's name."""
    player, _, rest = argument.replace('"', "").partition(" ")
    game, _, last = rest.rpartition(" ")
    seconds = f" {last}" if game and INTEGER.fullmatch(last) else ""
    meant = closest(game if seconds else rest, games.known) if rest else None
    if meant is not None:
        return f', did you mean: challenge "{echo(player)}" "{meant}"{seconds}'
    return ', write: challenge "<player>" "<game>" or challenge "<player>" "<game>" <seconds for a turn>'


def way_out(rejected: Rejected, games: GameNames) -> str:
    """Names the command that leads out of a refusal of the lobby, where its own words do not."""
    if rejected.code is Code.CHALLENGE_UNCLEAR:
        is_none_open = rejected.facts.get("count") == "0"
        return ", nobody's challenge is open" if is_none_open else ", several are open: challenge accept <number>"
    player = rejected.facts.get("player", "")
    if rejected.code is Code.UNKNOWN_PLAYER and games.spelled(player) in games.known.values():
        return f', the player comes first: challenge "house-random" "{games.spelled(player)}"'
    return ""


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
