"""REASON of a LOSS: the cause in a few words. It is apart from COMMENT, whose words clients compare.

One client cannot read a value that has a comma, and the format has no escape for quotation marks and
braces. So a game's sentence is cut to its first clause, which names the rule; the rest says what would do.
"""

import re

from gameserver.protocol import EndReason, GameEnded, Why

BYTES_MAX = 80

_CLAUSE_END = re.compile(r"[,;]")
_UNFIT = re.compile(r'["{}]')


def reason_of(event: GameEnded, why: Why) -> str:
    """The cause of the receiver's loss, in at most `BYTES_MAX` bytes without comma, quotation mark or brace."""
    return fitted(_words(event, why))


def _words(event: GameEnded, why: Why) -> str:
    match event.reason:
        case EndReason.ILLEGAL if why.after_restart:
            return f"after the restart all moves (your own too) were told again: {why.rule}"
        case EndReason.ILLEGAL:
            return why.rule
        case EndReason.LATE if why.late_ms is not None:
            return f"the move came {_seconds(why.late_ms)} s after the {_seconds(why.turn_time_ms)} s of the turn"
        case EndReason.LATE:
            return f"no move came within {_seconds(why.turn_time_ms)} s of YOURTURN"
        case EndReason.RESIGNED:
            return "the match was forfeited"
        case EndReason.DROPPED:
            return "the connection was lost"
    return event.reason_text or "the game was played to its end"


def _seconds(ms: int | None) -> str:
    return "?" if ms is None else f"{ms / 1000:g}"


def fitted(text: str) -> str:
    """The first clause of a sentence, cut where it is too long, without what a map between braces cannot hold."""
    clause = " ".join(_UNFIT.sub("", _CLAUSE_END.split(text)[0]).split())
    if clause.count("(") > clause.count(")"):
        clause = ": ".join(clause.rsplit(" (", 1))
    while len(clause.encode("utf-8", "replace")) > BYTES_MAX:
        clause = _shorter(clause)
    return clause


def _shorter(clause: str) -> str:
    """The clause without its last part, or its last word, or its last letter where it is one word."""
    for separator in (": ", " (", " "):
        head, found, _ = clause.rpartition(separator)
        if found:
            return head
    return clause[:-1]
