"""Suggestions: the word that a player may have meant, and the command to write instead.

They are for profiles that imitate no original.
"""

import difflib
from collections.abc import Iterable, Mapping

from gameserver.protocol import Code, Rejected
from protocols.strategic.parsing import BLANKS, INTEGER, QUOTED_CHALLENGE, GameNames
from protocols.wording import echo

_OTHER_QUOTES = "'\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb"
"""Quotes that word processors put for a straight one, and that shells and programming languages use."""

LENGTH_MAX = 40
"""A longer word is no slip of the hand, and comparing it would take long."""
LIKENESS_MIN = 0.75


def closest(word: str, candidates: Iterable[str] | Mapping[str, str]) -> str | None:
    """The candidate that is nearest to a word, if one is near; of a mapping, what the nearest key stands for.

    Only letters and digits count, in any case: `TicTacToe` is `Tic-tac-toe`.
    """
    if len(word) > LENGTH_MAX:
        return None
    pairs = candidates.items() if isinstance(candidates, Mapping) else ((each, each) for each in candidates)
    meant = {_plain(written): stands_for for written, stands_for in pairs}
    found = difflib.get_close_matches(_plain(word), meant, n=1, cutoff=LIKENESS_MIN)
    return meant[found[0]] if found else None


def suggested(text: str, meant: str | None) -> str:
    """A complaint, with what may have been meant."""
    return f"{text}, did you mean '{meant}'?" if meant else text


def what_is_missing(argument: str, games: GameNames) -> str:
    """The advice for a player whose `challenge` was not understood."""
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
    quoted = QUOTED_CHALLENGE.fullmatch(argument)
    if quoted is not None and quoted[3].strip(BLANKS):
        time = echo(quoted[3].strip(BLANKS))
        return f", behind the game comes a whole number of seconds for a turn, such as 300, not {time}"
    player, _, rest = argument.replace('"', "").partition(" ")
    game, _, last = rest.rpartition(" ")
    seconds = f" {last}" if game and INTEGER.fullmatch(last) else ""
    meant = closest(game if seconds else rest, games.known) if rest else None
    if meant is not None:
        return f', did you mean: challenge "{echo(player)}" "{meant}"{seconds}'
    return ', write: challenge "<player>" "<game>" or challenge "<player>" "<game>" <seconds for a turn>'


def way_out(rejected: Rejected, games: GameNames) -> str:
    """The way out of a refusal of the lobby whose own words do not tell it."""
    if rejected.code is Code.CHALLENGE_UNCLEAR:
        is_none_open = rejected.facts.get("count") == "0"
        return ", nobody's challenge is open" if is_none_open else ", several are open: challenge accept <number>"
    player = rejected.facts.get("player", "")
    if rejected.code is Code.UNKNOWN_PLAYER and games.spelled(player) in games.known.values():
        return f', the player comes first: challenge "house-random" "{games.spelled(player)}"'
    return ""


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
