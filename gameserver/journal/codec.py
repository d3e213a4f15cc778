"""Commands as journal rows and back.

Tags are written here, not taken from class names: renaming a class must not orphan old journals. Those of
the acts upon a tournament are in their table, `tournaments.act_table.ACTS`.
When a command's fields change their meaning, it gets a new version here, and the reader of the old
version stays. A golden journal in the tests holds this file to its word.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import orjson
from cattrs.gen import make_dict_unstructure_fn, override
from cattrs.preconf.orjson import make_converter

from gameserver.core.commands import (
    Accept,
    Arrive,
    Book,
    Challenge,
    ChallengeTimeUp,
    Command,
    Conduct,
    Contribute,
    CreateTournament,
    Depart,
    Drain,
    Enter,
    KeepRanking,
    Kick,
    Leave,
    NewEpoch,
    PairOnLadder,
    Play,
    Ready,
    Resign,
    RestoreTournament,
    RoomTimeUp,
    Say,
    Seek,
    ServerStarted,
    SetLadder,
    ShowTicket,
    Sit,
    TicketTimeUp,
    TimeUp,
    TournamentTimeUp,
    Unbook,
    Void,
    Withdraw,
)
from gameserver.core.lobby import At
from gameserver.journal.journal import JournalBroken, JournalRow
from gameserver.tournaments.act_table import ACTS, spec_of
from gameserver.tournaments.model import Act, Entrant, RegisterEntrant, StartTournament, Tournament
from gameserver.tournaments.plan import teach_plans

# cattrs over orjson: some 2 us to read a value of five fields, 0.6 us to write one.
CONVERTER = make_converter()
teach_plans(CONVERTER)


# Hardly a move has it, and every row would be longer by it.
_PLAY = make_dict_unstructure_fn(Play, CONVERTER, illegal=override(omit_if_default=True))
CONVERTER.register_unstructure_hook(Play, _PLAY)


# Most tournaments have neither stages nor teams, and are written as before there were any.
_RARE: Any = override(omit_if_default=True)
for _kind, _fields in (
    (Entrant, ("team",)),
    (RegisterEntrant, ("team",)),
    (StartTournament, ("teams",)),
    (Tournament, ("draws", "teams")),
):
    _write = make_dict_unstructure_fn(_kind, CONVERTER, **dict.fromkeys(_fields, _RARE))
    CONVERTER.register_unstructure_hook(_kind, _write)


def _write_act(act: Act) -> dict[str, Any]:
    return {**CONVERTER.unstructure(act), "act": spec_of(act).tag}


def _read_act(raw: Mapping[str, Any], _: type[Act]) -> Act:
    fields = dict(raw)
    tag = fields.pop("act")
    for spec in ACTS.values():
        if spec.tag == tag:
            return CONVERTER.structure(fields, spec.type)
    raise ValueError(f"there is no act {tag!r}")


# Of the base class alone: where a command names the class of an act, nobody needs a tag.
CONVERTER.register_unstructure_hook_func(lambda kind: kind is Act, _write_act)
CONVERTER.register_structure_hook_func(lambda kind: kind is Act, _read_act)

TAGS: dict[type, tuple[str, int]] = {
    Enter: ("enter", 1),
    Leave: ("leave", 1),
    Seek: ("seek", 1),
    Withdraw: ("withdraw", 1),
    Challenge: ("challenge", 1),
    Accept: ("accept", 1),
    Sit: ("sit", 1),
    Ready: ("ready", 1),
    Depart: ("depart", 1),
    Book: ("book", 1),
    Unbook: ("unbook", 1),
    Arrive: ("arrive", 1),
    Play: ("play", 1),
    Resign: ("resign", 1),
    Say: ("say", 1),
    TimeUp: ("time-up", 1),
    RoomTimeUp: ("room-time-up", 1),
    TicketTimeUp: ("ticket-time-up", 1),
    ChallengeTimeUp: ("challenge-time-up", 1),
    ShowTicket: ("show-ticket", 1),
    Void: ("void", 1),
    Kick: ("kick", 1),
    Drain: ("drain", 1),
    CreateTournament: ("create-tournament", 1),
    Conduct: ("conduct", 1),
    TournamentTimeUp: ("tournament-time-up", 1),
    RestoreTournament: ("restore-tournament", 1),
    SetLadder: ("set-ladder", 1),
    PairOnLadder: ("pair-on-ladder", 1),
    KeepRanking: ("keep-ranking", 1),
    ServerStarted: ("server-started", 1),
    NewEpoch: ("new-epoch", 1),
    Contribute: ("contribute", 1),
}
READERS: dict[tuple[str, int], Callable[[bytes], Any]] = {
    key: partial(CONVERTER.loads, cl=command_type) for command_type, key in TAGS.items()
}
"""A reader for each version of each row that was ever written: that of an older version is added here by hand."""


def write_row(seq: int, at: At, command: Command) -> JournalRow:
    """Encodes an accepted command as a journal row, under the tag and version of its class."""
    tag, version = TAGS[type(command)]
    # Nearly every row is a move. Spelled out, it is written in a third of the time, byte for byte the same.
    if type(command) is Play and not command.illegal:
        session, move, match, seat, turn = command.session, command.move, command.match, command.seat, command.turn
        body = orjson.dumps({"session": session, "move": move, "match": match, "seat": seat, "turn": turn})
    else:
        body = CONVERTER.dumps(command)
    return JournalRow(seq, at.now_ms, at.stamp_ms, at.wall_ms, tag, version, body)


def read_row(row: JournalRow) -> tuple[Command, At]:
    """Decodes a journal row by its tag and version into the command, and when it was decided.

    Raises `JournalBroken` on a row it does not know.
    """
    read = READERS.get((row.tag, row.version))
    if read is None:
        message = f"row {row.seq} holds a {row.tag!r} of version {row.version}, which this version does not know"
        # Not skipped: an older server that meets a newer one's row would go on with another lobby than clients know.
        raise JournalBroken(message)
    try:
        command: Command = read(row.body)
    # The errors of orjson and cattrs have no class in common; cattrs raises groups.
    except Exception as error:
        message = f"row {row.seq} ({row.tag}) is damaged: {error}"
        raise JournalBroken(message) from error
    return command, At(row.now_ms, row.stamp_ms, row.wall_ms)
