"""Helpers by which several protocols put facts into sentences."""

from collections.abc import Mapping

ECHO_LENGTH_MAX = 100
WHY_LENGTH_MAX = 240
"""The most characters repeated of a player's text, and of a reason. One client hangs up at a line over 1,024 bytes."""


class _Facts(dict[str, str]):
    """The facts of a rejection. One that is missing must not cost a player the connection."""

    def __missing__(self, key: str) -> str:
        return "?"


def echo(text: str, length_max: int = ECHO_LENGTH_MAX) -> str:
    """A player's text, cut to a length that every client survives."""
    return text if len(text) <= length_max else f"{text[:length_max]}..."


def filled(sentence: str, facts: Mapping[str, str]) -> str:
    """A sentence with the facts that it names in braces."""
    cut = {key: echo(fact, WHY_LENGTH_MAX if key == "why" else ECHO_LENGTH_MAX) for key, fact in facts.items()}
    return sentence.format_map(_Facts(cut))
