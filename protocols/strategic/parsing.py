"""Parsing: one line of text into what it asks for.

The grammar is the union of the input that every generation of the original took and its clients send. A
line is a word, a space, and the rest; words match in any case. A line that cannot be understood raises
`Unparsable`, whose text the player is sent after ERR.
"""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType

from gameserver.protocol import Accept, Challenge, Resign, Say, TimeControl
from gameserver.values import value

# The limit of the 2016 server (MessageCommandHandler.java:41-70), the only one that had messages.
MESSAGE_LENGTH_MAX = 140

# Captured from the originals. Clients look at ERR alone, but for those named at `profiles._REFUSALS`.
ILLEGAL_ARGUMENTS = "Illegal argument(s) for command"
NO_NAME = "No name entered"
NO_GAME = "No game name entered"
NO_MOVE = "No move entered"
_NO_CHALLENGE_NAMES = "No player name or game name entered"
EMPTY_MESSAGE = "The message should not be empty"
_LONG_MESSAGE = f"Messages should not contain more than {MESSAGE_LENGTH_MAX} characters"
NO_NEED_TO_DECLINE = "A challenge need not be declined, leave it unanswered: it costs nothing and ends by itself"
_NOT_UTF_8 = "The line is not UTF-8 text, nothing was done"

BLANKS = " \t"
"""The blanks that are trimmed. Any other is a control character and refused, or part of a name."""

DECLINED = re.compile(r'decline(?:\s+"?[0-9]*"?)?', re.IGNORECASE)
"""`challenge decline 7`, which no server ever took. With a game behind it, it challenges a player called `decline`."""

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")
INTEGER = re.compile(r"[+-]?[0-9]{1,9}")
QUOTED_CHALLENGE = re.compile(r'"([^"]*)"[^"]*"([^"]+)"(.*)')
_QUOTED_MESSAGE = re.compile(r'"([^"]*)"(.*)')


class Unparsable(Exception):
    """A player of the text protocol wrote what cannot be understood; the text says what is wrong."""


class Verb(StrEnum):
    """The command words of the text protocol."""

    LOGIN = "login"
    LOGOUT = "logout"
    GET = "get"
    SUBSCRIBE = "subscribe"
    UNSUBSCRIBE = "unsubscribe"
    MOVE = "move"
    FORFEIT = "forfeit"
    CHALLENGE = "challenge"
    MESSAGE = "message"
    HELP = "help"
    CONTRIBUTE = "contribute"


ALIASES = {
    # The originals' aliases; `msg` came with the messages of 2016.
    Verb.LOGOUT: ("exit", "quit", "disconnect", "bye"),
    Verb.MESSAGE: ("msg",),
}

VERBS = {word: verb for verb in Verb for word in (verb.value, *ALIASES.get(verb, ()))}
ORIGINAL_VERBS = {word: verb for word, verb in VERBS.items() if verb is not Verb.CONTRIBUTE}
"""The same, without the command that no original knew."""


def split_line(line: bytes) -> tuple[str, str]:
    """Splits a line of the text protocol into command word and argument; raises `Unparsable` if it is no text."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        raise Unparsable(_NOT_UTF_8) from None
    if not text.isprintable():  # nearly every line is, and to know that takes a tenth of the time of a search
        control = _CONTROL.search(text)
        if control is not None:
            raise Unparsable(f"The line contains the control character {ord(control[0]):#04x}, nothing was done")
    # At the first space alone, then both trimmed (server/message/Command.java:8-17): `login  alice ` logs in "alice".
    word, _, argument = text.partition(" ")
    return word.strip(BLANKS), argument.strip(BLANKS)


class GameNames:
    """The names of all games, found in any case, for the text protocol's commands."""

    def __init__(self, names: Sequence[str], aliases: Mapping[str, str] = MappingProxyType({})) -> None:
        self.known = {name: name for name in names} | dict(aliases)
        """Every name that a player may write, aliases too, with the name that it stands for."""
        # rhouwen's and DowneyX's clients subscribe in lower case, as the New Game Server let them. What they are told
        # has the one spelling: n1ck, mg2002 and mees ignore or crash on others (measured).
        self._by_folded = {name.casefold(): name for name in names}
        self._longest_first = sorted(names, key=len, reverse=True)

    def spelled(self, name: str) -> str:
        """Gives a game's name in its one spelling; one that is unknown as it came, for the lobby to refuse."""
        return self._by_folded.get(name.casefold(), name)

    def split_off(self, text: str) -> tuple[str, str] | None:
        """Splits a text that ends with a game's name into what stands before and the game; None if it does not."""
        for name in self._longest_first:
            head, tail = text[: -len(name)], text[-len(name) :]
            if tail.casefold() == name.casefold() and head.endswith(" ") and head.strip(BLANKS):
                return head.strip(BLANKS), name
        return None


@value
class _Duel:
    """A challenge as it was written: the player, the game, and the time, which is mostly the seconds of a turn."""

    to: str
    game: str
    time: str


def read_challenge(
    session: int, argument: str, games: GameNames, *, takes_clocks: bool = False
) -> Challenge | Accept | Resign:
    """Parses the text protocol's `challenge`: a challenge, or `accept` or `forfeit`.

    With `takes_clocks` a clock such as "3m+2s" may stand in the place of a turn's seconds.
    """
    word, _, rest = argument.partition(" ")
    # In any case, as in the originals. BattleshipsClient sends no number, rhouwen's Battleship client one in quotes.
    if word.lower() == "accept":
        return Accept(session, _accepted_number(rest))
    # The document's overview of commands has it; none of the originals took it.
    if argument.lower() == "forfeit":
        return Resign(session)
    # Kryen112, DowneyX and 2OOP write names without quotes, as the New Game Server took them.
    duel = _quoted_duel(argument) or _plain_duel(argument.replace('"', ""), games)
    if duel is None:
        raise Unparsable(ILLEGAL_ARGUMENTS)
    clock = _clock(duel.time, takes_clocks=takes_clocks) if duel.time else None
    to, game = duel.to.strip(BLANKS), duel.game.strip(BLANKS)
    if not to or not game:
        raise Unparsable(_NO_CHALLENGE_NAMES)
    return Challenge(session, to, games.spelled(game), clock)


def _clock(time: str, *, takes_clocks: bool) -> TimeControl:
    text = time.strip('"' + BLANKS)
    if takes_clocks and not INTEGER.fullmatch(text):
        try:
            return TimeControl.read(text)
        except ValueError as fault:
            raise Unparsable(f"{ILLEGAL_ARGUMENTS}, {fault}, or whole seconds for a turn, such as 300") from None
    # The third argument is of 2016, in whole seconds; 0 and -1 passed there, and the lobby refuses them here.
    return TimeControl(_integer(text if takes_clocks else time) * 1000)


def _accepted_number(rest: str) -> int | None:
    """The number, with or without quotes; None where there is none. What follows it never counted."""
    words = rest.replace('"', " ").split()
    return _integer(words[0]) if words else None


def _quoted_duel(argument: str) -> _Duel | None:
    found = QUOTED_CHALLENGE.fullmatch(argument)
    return None if found is None else _Duel(found[1], found[2], found[3].strip(BLANKS))


def _plain_duel(argument: str, games: GameNames) -> _Duel | None:
    """Without quotes, where names may contain spaces: the text ends with a game, perhaps with a time behind it.

    The whole text is looked at first, for a game whose name ends with a number.
    """
    parts = games.split_off(argument)
    if parts is not None:
        return _Duel(*parts, time="")
    head, _, last = argument.rpartition(" ")
    if INTEGER.fullmatch(last):
        parts = games.split_off(head)
        if parts is not None:
            return _Duel(*parts, time=last)
    words = argument.split()
    # Two words are a player and a game that is not played here, which the lobby says better than we.
    return _Duel(words[0], words[1], time="") if len(words) == 2 else None


def _integer(text: str) -> int:
    if not INTEGER.fullmatch(text):
        raise Unparsable(ILLEGAL_ARGUMENTS)
    return int(text)


def read_message(session: int, argument: str) -> Say:
    """Parses the text protocol's `message`: the receiver, in quotes, and a text, whose quotes become spaces."""
    found = _QUOTED_MESSAGE.fullmatch(argument)
    # Quotes become spaces and tabs go, as in the 2016 server: its format has no escape for either.
    text = "" if found is None else found[2].replace('"', " ").replace("\t", "").strip()
    if found is None or not text:
        raise Unparsable(EMPTY_MESSAGE)
    if len(text) > MESSAGE_LENGTH_MAX:
        raise Unparsable(_LONG_MESSAGE)
    return Say(session, found[1].strip(BLANKS), text)
