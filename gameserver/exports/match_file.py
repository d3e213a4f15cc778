"""A finished match as one file, for its page: in a format of its game, or as a score sheet."""

from collections.abc import Mapping
from typing import Any

from gameserver.exports.match_steps import NotReadable, played_match
from gameserver.exports.score_sheet import score_sheet
from gameserver.game import Game
from gameserver.records.reader import RecordReader

SCORE_SHEET = "txt"
"""The ending of the format that every game has."""


def match_file(reader: RecordReader, games: Mapping[str, Game[Any]], number: int, ending: str) -> str | None:
    """The file; None if there is no such match, no such format, or nothing that the installed game can read."""
    record = reader.match(number)
    if record is None:
        return None
    if ending == SCORE_SHEET:
        return score_sheet(record)
    try:
        match = played_match(record, games)
    except NotReadable:
        return None
    export = match.game.exports.get(ending)
    return None if export is None else export(match)
