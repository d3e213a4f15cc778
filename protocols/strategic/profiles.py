"""The dialects: the differences between the generations of the original, as data.

All profiles take the same input and send the same lines in the same order. They differ in the
banner, in the words after ERR, and in how a match is reported that was not played to its end.
"""

from collections.abc import Mapping

from attrs import evolve, field

from gameserver.protocol import Code, EndReason, Rejected
from gameserver.values import value
from protocols.wording import SENTENCES, filled


@value
class StrategicProfile:
    """A dialect of the text protocol: its banner, its words after ERR, how it reports ends."""

    name: str
    # Of eleven clients, four do not log in without a banner, and three each break with one line or three (measured).
    banner: tuple[str, str]
    """Two lines, because clients skip exactly two."""
    refusals: Mapping[Code, str]
    """The words after ERR, with the facts of the code in braces."""
    comments: Mapping[EndReason, str]
    """COMMENT of a match that ended otherwise than by play."""
    # Captured: 0 and 0 from 2009 to 2016; 1 and -1 in a log of the New Game Server of January 2025.
    forfeit_points: tuple[int, int]
    """Winner's and loser's score where the position did not decide: time, forfeit, disconnection."""
    # Captured: Reversi counted its discs at an illegal move, 2 and 2 at the start. The New Game Server counted it as
    # lost.
    scored: frozenset[EndReason] = frozenset({EndReason.PLAYED, EndReason.ILLEGAL})
    """The endings that the game's own score is told of."""
    is_imitation: bool = True
    """True if every byte is to be what an original said: no suggestion, no further key, no further query."""
    unexplained: frozenset[str] = frozenset()
    """The games of which `help` knows nothing."""
    greeting: bytes = field(init=False)

    @greeting.default
    def _greeting(self) -> bytes:
        return "".join(f"{line}\r\n" for line in self.banner).encode()

    def refusal(self, rejected: Rejected) -> str:
        """Puts a refusal of the lobby into the text protocol's words after ERR."""
        # `filled` cuts what players wrote: the 2OOP client hangs up at a line over 1,024 bytes.
        return filled(self.refusals[rejected.code], rejected.facts)


_REFUSALS: Mapping[Code, str] = {
    **SENTENCES,
    # Captured, from here to the end of what the originals could refuse. GameClient of HanzehogeschoolSICT compares
    # "Duplicate name exists", "Already logged in", "Unknown player:", "Unknown game:" and "Not in any match" (lines
    # 110 to 177 of its Network.java); mg2002 reads the third word.
    Code.NOT_ENTERED: "Not logged in",
    Code.ALREADY_ENTERED: "Already logged in",
    Code.NAME_TAKEN: "Duplicate name exists",
    Code.NAME_HELD: "Duplicate name exists, its seat in a match is kept for the computer it was played from",
    Code.UNPROVEN: "The name '{name}' belongs to somebody with a secret; if it is you: login {name} SECRET "
    "(capital letters count)",
    Code.PROOF_WRONG: "That is not the secret of '{name}'; ask the teacher if you do not know yours",
    Code.PROOF_TOO_OFTEN: "That is not the secret of '{name}' either, and this connection ends after so many wrong "
    "ones; ask the teacher for yours, then connect again",
    Code.NAME_SLIP: "There is no '{name}' on the list of players, but a name that differs by one letter; correct it, "
    "or take another one if you are not on the list",
    Code.NOT_LISTED: "'{name}' is not on the list of players; ask the teacher to be put on it",
    Code.NAME_RESERVED: "The name '{name}' is reserved, choose another",
    Code.UNKNOWN_GAME: "Unknown game: '{game}'",
    Code.UNKNOWN_PLAYER: "Unknown player: '{player}'",
    Code.CHALLENGE_SELF: "Cannot challenge self",
    Code.IN_MATCH: "Currently in match",
    Code.IN_TOURNAMENT: "Tournament in progress",
    Code.OTHER_IN_MATCH: "Other player currently in match",
    Code.NO_CHALLENGES: "{player} cannot be challenged, that player's program does not support challenges",
    Code.TURN_TIME_OUT_OF_RANGE: "Illegal argument(s) for command, a turn can take {min_s} to {max_s} seconds",
    Code.UNKNOWN_CHALLENGE: "Invalid challenge number '{number}'",
    Code.CHALLENGE_UNCLEAR: "Illegal argument(s) for command",
    Code.ROOM_FULL: "Table {room} is full",
    Code.NOT_IN_MATCH: "Not in any match",
    Code.NOT_STARTED: "The next game of the match has not begun",
    # The originals sent OK first, and this behind the name of a Java exception; clients that count OKs got out of
    # step.
    Code.NOT_YOUR_TURN: "It is not {player}'s turn",
    Code.TURN_NOT_BEGUN: "Too early: that move came before YOURTURN and does not count, send another",
    Code.SAY_SELF: "It is pointless to send a message to yourself {player}",
    Code.STALE: "Too late, the match has gone on",
}

_NGS_REFUSALS: Mapping[Code, str] = {
    **_REFUSALS,
    # Kryen112's client compares these whole (InputProcesser.java:96-101, written against the live server in 2021).
    Code.NOT_ENTERED: "not logged in",
    Code.ALREADY_ENTERED: "already logged in",
    Code.NAME_TAKEN: "duplicate name exists",
    Code.NAME_HELD: "duplicate name exists, its seat in a match is kept for the computer it was played from",
    Code.UNKNOWN_PLAYER: "player not found",
    Code.UNKNOWN_CHALLENGE: "invalid challenge",
}
"""Five of these were seen by a client's author; where nobody has seen the words, the old ones stand."""

_COMMENTS = {
    # Captured. The mees client knows "Illegal move", "Turn timelimit reached" and "Client disconnected" literally
    # (GameEndHandler.java:30-32).
    EndReason.RESIGNED: "Player forfeited match",
    EndReason.LATE: "Turn timelimit reached",
    EndReason.ILLEGAL: "Illegal move",
    EndReason.DROPPED: "Client disconnected",
    EndReason.ABANDONED: "Match abandoned",
    # No comma: one client cannot read a COMMENT that has one.
    EndReason.VOID: "Match void",
}

_NGS_COMMENTS = _COMMENTS | {
    # From a log of the New Game Server; the other ends have not been seen there.
    EndReason.RESIGNED: "Player forfeited",
    EndReason.ILLEGAL: "Invalid move",
}

_PLAIN_GAMES = frozenset({"Reversi", "Tic-tac-toe", "Connect-four-3D"})
"""The originals had no page for any game. The games that need one most have it in every profile all the same."""

_OF_2016 = StrategicProfile(
    name="2016",
    banner=("Strategic Game Server [Version 1.0]", "(C) Copyright 2009-2016 Hanzehogeschool Groningen"),
    refusals=_REFUSALS,
    comments=_COMMENTS,
    forfeit_points=(0, 0),
    unexplained=_PLAIN_GAMES,
)

_ALL = (
    # The banner: clients take any line with OK, SVR or ERR, or of two words, for an answer.
    evolve(
        _OF_2016,
        # Two lines of any text do for clients that skip lines. Sabine0's client takes every line of two words for an
        # answer, except the four known lines of banners (ReadHandler.java:57).
        name="document",
        banner=("Game Server [text protocol]", "Type 'help' for the list of commands"),
        is_imitation=False,
        unexplained=frozenset(),
    ),
    evolve(
        _OF_2016,
        name="2009",
        banner=("Strategic Game Server [Version 1.0]", "(C) Copyright 2009 Hanze Hogeschool Groningen"),
    ),
    evolve(
        _OF_2016,
        # E4-PROJECT-AI sends nothing before a line that begins with "Strategic Game Server Fixed " and then exactly
        # this copyright (CommandInputProcessor.java:212-213).
        name="2015",
        banner=("Strategic Game Server Fixed [Version 1.1.0]", "(C) Copyright 2015 Hanzehogeschool Groningen"),
    ),
    _OF_2016,
    StrategicProfile(
        # Two clients of 2023 log in after these lines alone: one compares the first, the other the copyright.
        name="ngs",
        banner=("New Game Server [Version 1.0]", "(C) Copyright 2021 Hanzehogeschool Groningen"),
        refusals=_NGS_REFUSALS,
        comments=_NGS_COMMENTS,
        forfeit_points=(1, -1),
        scored=frozenset({EndReason.PLAYED}),
        unexplained=_PLAIN_GAMES,
    ),
)

PROFILES: Mapping[str, StrategicProfile] = {profile.name: profile for profile in _ALL}
"""By name; the first is the default."""
