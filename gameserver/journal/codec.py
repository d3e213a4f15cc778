"""Commands as journal rows and back.

Tags are written here, not taken from class names: renaming a class must not orphan old journals. Those of
the acts upon a tournament are in their table, `tournaments.lifecycle.act_table.ACTS`. A field that has got
another name is journaled under its old one (`journal_as`).
When a command's fields change their meaning, it gets a new version here, and the reader of the old
version stays. Golden journals in the tests hold this file to its word.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import orjson
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override
from cattrs.preconf.orjson import make_converter

from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import (
    Accept,
    Arrive,
    Book,
    Challenge,
    ChallengeTimeUp,
    Command,
    Conduct,
    CreateTournament,
    Depart,
    Drain,
    Enter,
    HousePlayer,
    Kick,
    Leave,
    Play,
    Ready,
    Resign,
    RestoreTournament,
    RoomTimeUp,
    Say,
    Seek,
    ServerStarted,
    ShowTicket,
    Sit,
    TicketTimeUp,
    TimeUp,
    TournamentTimeUp,
    Unbook,
    Void,
    Withdraw,
)
from gameserver.core.state.lobby import At, OpenChallenge, Player
from gameserver.core.state.match import SeatHolder
from gameserver.core.state.tournament import TournamentRow
from gameserver.journal.journal import JournalBroken, JournalRow
from gameserver.policies import Rules
from gameserver.tournaments.acts import Act
from gameserver.tournaments.lifecycle.act_table import ACTS, spec_of
from gameserver.tournaments.plan_json import teach_plans

CONVERTER = make_converter()
teach_plans(CONVERTER)


def journal_as(kind: type, *rare: str, **names: str) -> None:
    """Keep the names under which fields of a class are journaled, in rows and snapshots.

    `rare` fields are left out where they have their default, as in rows from before there were such fields.

    To be called for a class before those that have it in a field: their functions look it up once.
    """
    renamed: dict[str, Any] = {field: override(rename=name) for field, name in names.items()}
    renamed |= {field: override(omit_if_default=True) for field in rare}
    CONVERTER.register_unstructure_hook(kind, make_dict_unstructure_fn(kind, CONVERTER, **renamed))
    CONVERTER.register_structure_hook(kind, make_dict_structure_fn(kind, CONVERTER, **renamed))


# Rooms were called tables when these were journaled first.
journal_as(Sit, room="table")
journal_as(RoomTimeUp, room="table")
journal_as(Player, "identity", "key", "seek_turn_time_ms", "late_answer_until_ms", room="table")
journal_as(SeatHolder, "key", "had_key_grace", room="table")
journal_as(TournamentRow, "took_ms")
journal_as(
    Rules,
    "tells_identities_apart",
    "key_grace_ms",
    room_count="tables",
    room_game="table_game",
    room_turn_time_ms="table_turn_time_ms",
    room_wait_ms="table_wait_ms",
    room_move_pause_ms="table_move_pause_ms",
    takeover_gives_up_kept_rooms="takeover_gives_up_kept_tables",
)

journal_as(Book, "is_listed")
journal_as(Enter, "key")
journal_as(Seek, "turn_time_ms")
journal_as(Withdraw, "challenge")
journal_as(Challenge, "seat")
journal_as(OpenChallenge, "seat")
journal_as(HousePlayer, "is_listed")

# Hardly a move has it, and every row would be longer by it.
_PLAY = make_dict_unstructure_fn(Play, CONVERTER, illegal=override(omit_if_default=True))
CONVERTER.register_unstructure_hook(Play, _PLAY)


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

_TAGS: dict[type, tuple[str, int]] = {
    Enter: ("enter", 2),
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
    Arrive: ("arrive", 2),
    Play: ("play", 1),
    Resign: ("resign", 1),
    Say: ("say", 1),
    TimeUp: ("time-up", 1),
    RoomTimeUp: ("table-time-up", 1),
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
    ServerStarted: ("server-started", 1),
}
_CARRIED = {
    "challenge": Capability.CHALLENGE,
    "say": Capability.CHAT,
    "tables": Capability.ROOMS,
    "ready": Capability.READY,
}


def with_capabilities(row: dict[str, Any]) -> dict[str, Any]:
    """The fields of a player with `carries`, as it was in version 1: any words, of which four had a meaning."""
    words = row.get("carries", ())
    return row | {"capabilities": [_CARRIED[word] for word in words if word in _CARRIED]}


def _read_with_carries(body: bytes, command_type: type) -> Any:
    return CONVERTER.structure(with_capabilities(orjson.loads(body)), command_type)


_READERS: dict[tuple[str, int], Callable[[bytes], Any]] = {
    **{key: partial(CONVERTER.loads, cl=command_type) for command_type, key in _TAGS.items()},
    ("enter", 1): partial(_read_with_carries, command_type=Enter),
    ("arrive", 1): partial(_read_with_carries, command_type=Arrive),
}


def write_row(seq: int, at: At, command: Command) -> JournalRow:
    """The row of an accepted command."""
    tag, version = _TAGS[type(command)]
    # Nearly every row is a move. Spelled out, it is written in a third of the time, byte for byte the same.
    if type(command) is Play and not command.illegal:
        session, move, match, seat, turn = command.session, command.move, command.match, command.seat, command.turn
        body = orjson.dumps({"session": session, "move": move, "match": match, "seat": seat, "turn": turn})
    else:
        body = CONVERTER.dumps(command)
    return JournalRow(seq, at.now_ms, at.stamp_ms, at.wall_ms, tag, version, body)


def read_row(row: JournalRow) -> tuple[Command, At]:
    """The command of a row, and when it was decided. Raises `JournalBroken` on a row it does not know."""
    read = _READERS.get((row.tag, row.version))
    if read is None:
        message = f"row {row.seq} holds a {row.tag!r} of version {row.version}, which this version does not know"
        raise JournalBroken(message)
    try:
        command: Command = read(row.body)
    except Exception as error:
        message = f"row {row.seq} ({row.tag}) is damaged: {error}"
        raise JournalBroken(message) from error
    return command, At(row.now_ms, row.stamp_ms, row.wall_ms)
