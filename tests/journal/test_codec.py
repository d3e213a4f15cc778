"""Rows: every command there and back, a journal of each version, and rows that cannot be read."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, get_args

import orjson
import pytest
from attrs import evolve

from gameserver.core import commands
from gameserver.core.commands import Capability, EntryMode
from gameserver.core.lobby import At, Lobby
from gameserver.journal import codec
from gameserver.journal.codec import read_row, write_row
from gameserver.journal.journal import JournalBroken, JournalRow, Snapshot
from gameserver.journal.recovery import replay
from gameserver.journal.snapshot import digest, read_snapshot
from gameserver.policies import ChatPolicy, Rules, SeatReturn
from gameserver.time_control import TimeControl
from gameserver.tournaments import act_table, model
from gameserver.tournaments.files import standings_csv
from gameserver.tournaments.presets import preset
from tests.records.test_tournament_record import played
from tests.support.games import BestOf, Countdown, Dice, Hands, Heap, catalogue
from tests.support.journals import RowsOnly

ACTS: list[model.Act] = [
    model.RegisterEntrant("ann", 1500, by="Ms Reed", why="late"),
    model.WithdrawEntrant("ann", "Ms Reed", "ill"),
    model.Disqualify("bob", "Ms Reed", "cheats"),
    model.StartTournament(7, "Ms Reed"),
    model.Pair((model.Pairing(1, 2, 3, 1, 2, ("ann", "bob"), "both|1|0|ann|bob"),), (model.Bye(2, "cyd"),)),
    model.Begin(1, 9),
    model.Report(1, 9, model.Verdict.SECOND, "resigned", (3, -3)),
    model.NoShow(1, ("ann", "bob")),
    model.VoidPairing(1, "Ms Reed", "a fire drill"),
    model.HoldPairing(1, "a bug in the server (x) ended the connection", "ann"),
    model.Correct(1, model.Verdict.BOTH_LOSE, "Ms Reed", "both cheat"),
    model.Pause(8, "Ms Reed", "lunch"),
    model.Resume(9, "Ms Reed"),
    model.Finish(10, "Ms Reed"),
    model.EndByTime(11),
    model.Cancel("Ms Reed", "storm"),
    model.NextStage((("ann", "bob"), ("cid", "dan")), 3, 1),
    model.FeaturePairing(3, "Ms Reed"),
    model.VoidStage("Ms Reed", "the wrong bot", 12),
]

RATED = commands.Against.RATED
COMMANDS: list[commands.Command] = [
    commands.Enter(1, "ann", "strategic", "::1", (Capability.CHAT,)),
    commands.Leave(1),
    commands.Seek(1, "Reversi"),
    commands.Withdraw(1),
    commands.Challenge(1, "bob", "Reversi", TimeControl.read("5m+2s, turn 60s")),
    commands.Challenge(1, "bob", "Reversi"),
    commands.Accept(1),
    commands.Accept(1, 0),
    commands.Sit(1, 99),
    commands.Book(1, "t1", "gx-1", "1", "::1", "Reversi", {"length": "5"}, {"by_hand": True}, RATED, 1200, True, "s"),
    commands.Unbook(1, "t1", "1"),
    commands.Arrive(2, "t1", "1", "gammonx", "::1", (Capability.READY,), "s"),
    commands.TicketTimeUp("t1"),
    commands.ChallengeTimeUp(3),
    commands.ShowTicket(1, "t1", "1"),
    commands.Ready(1),
    commands.Depart(1),
    commands.RoomTimeUp(0),
    commands.Play(1, "44"),
    commands.Play(0, "é\u2028", 3, 1, 7),
    commands.Play(1, "x" * 97 + "...", 3, illegal="there is no such cell"),
    commands.Resign(1, commands.Scope.GAME),
    commands.Say(1, "bob", "hi"),
    commands.TimeUp(3),
    commands.TimeUp(3, quiet=(7,)),
    commands.Void(3, "why"),
    commands.Void(3, "a fire drill", "Ms Reed"),
    commands.Kick("ann", "cheats", "Ms Reed"),
    commands.Drain(30_000, "the lesson is over", "Ms Reed"),
    commands.CreateTournament(
        preset("cup", "Cup", "Reversi", champions=("ann",), stand_in="house-random"),
        "5e" * 32,
        EntryMode.ROSTER,
        (model.RegisterEntrant("ann", 1500), model.RegisterEntrant("house-random", house=True)),
        "Ms Reed",
        "the last week",
    ),
    *(commands.Conduct(1, act) for act in ACTS),
    commands.TournamentTimeUp(1),
    commands.NewEpoch("5e" * 32),
    commands.Contribute(1, "2a00ff"),
    commands.RestoreTournament(1, evolve(played("swiss")[-1], left_ms=5), EntryMode.ROSTER, 5, 6, 7),
    commands.SetLadder("Reversi", True, "Ms Reed"),
    commands.PairOnLadder("Reversi", "ann", "house-club"),
    commands.KeepRanking("Reversi", "2026-09-01", (("ann", 1512.5, 88.25, 30),)),
    commands.ServerStarted(
        2,
        "5e" * 32,
        Rules(messages=ChatPolicy.NEVER, seat_return=SeatReturn.ANY_ADDRESS),
        (commands.HousePlayer("house-random", ("A", "B")),),
        {"A": 1},
        9,
    ),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: type(command).__name__)
def test_command_survives_a_round_trip(command: commands.Command) -> None:
    at = At(12, 11, 1_700_000_000_000)
    assert read_row(write_row(7, at, command)) == (command, at)


def test_every_command_is_tried_here() -> None:
    assert {type(command) for command in COMMANDS} == set(get_args(commands.Command))
    assert {type(act) for act in ACTS} == {spec.type for spec in act_table.ACTS.values()}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"tag": "dance"}, "'dance' of version 1"),
        ({"version": 99}, "version 99"),
        ({"body": b"{"}, "damaged"),
        ({"body": b"[]"}, "damaged"),
    ],
)
def test_a_row_that_cannot_be_read_says_so(changes: dict[str, Any], says: str) -> None:
    row = evolve(write_row(7, At(1, 1), commands.Seek(1, "Reversi")), **changes)
    with pytest.raises(JournalBroken, match=f"row 7.*{says}"):
        read_row(row)


def told(lobby: Lobby) -> dict[str, Any]:
    """Summarise a lobby in terms that do not change with the classes."""
    rooms = [
        {
            "room": room.number,
            "phase": room.phase.value,
            "match": room.match,
            "places": [[place.player, place.guest, place.is_ready] for place in room.places],
            "due_ms": room.due_ms,
        }
        for room in lobby.rooms.values()
    ]
    tickets = [[ticket.id, ticket.player, ticket.partner, ticket.lapses_ms] for ticket in lobby.tickets.values()]
    tournaments = [
        {
            "name": row.name,
            "phase": row.state.phase.value,
            "standings": standings_csv(row.state).splitlines(),
            "pairings": [[*one.seats, one.status.value, one.verdict, one.match] for one in row.state.pairings],
            "rulings": [[ruling.what, ruling.by, ruling.why] for ruling in row.state.rulings],
            "waits": sorted(row.waits.items()),
        }
        for row in lobby.tournaments.values()
    ]
    keys = [
        [holder.player, holder.key, holder.grace_left_ms, holder.absence and holder.absence.return_by_ms]
        for match in lobby.matches.values()
        for holder in match.seats
        if holder.key
    ]
    later = {"rooms": rooms, "tickets": tickets, "tournaments": tournaments, "keys": keys}
    return {name: rows for name, rows in later.items() if rows} | {
        "next_match": lobby.server[""].next_match,
        "next_challenge": lobby.server[""].next_challenge,
        "players": list(lobby.players),
        "queues": {game: list(names) for game, names in lobby.queues.items()},
        "matches": [
            {
                "match": match.id,
                "game": match.game.name,
                "players": list(match.players),
                "present": [holder.is_present for holder in match.seats],
                "moves": [step.text for step in match.moves],
                "left_ms": match.clock.left_ms,
                "deadline_ms": match.clock.deadline_ms,
                "view": match.state.view(None),
            }
            for match in lobby.matches.values()
        ],
    }


GOLDEN = Path(__file__).parent / "golden"
GAMES = catalogue(Countdown(), Dice(), BestOf(), Hands(), Heap())


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.jsonl")), ids=lambda path: path.stem)
def test_golden_journals_still_tell_the_same(path: Path) -> None:
    """A journal as a server of that version wrote it; its last line has what it must lead to, and the snapshot then.

    If this fails, old data files would be misread: give the changed command a new version and keep the old one's
    reader.
    """
    *rows, end = map(orjson.loads, path.read_bytes().splitlines())
    journal = RowsOnly()
    journal.append([JournalRow(*row[:6], orjson.dumps(row[6])) for row in rows])
    replayed = replay(journal, GAMES)
    assert replayed.skipped == ()
    assert told(replayed.lobby) == end["told"]
    *head, body = end["snapshot"]
    saved = read_snapshot(Snapshot(*head, orjson.dumps(body)), GAMES)
    assert told(saved) == end["told"]
    assert digest(saved) == digest(replayed.lobby)


def test_row_of_an_older_version_is_read_by_its_own_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """The step to a next version: say that `Kick` named its player `who` in version 1."""
    command = commands.Kick("ann", "cheats", "Ms Reed")
    old = write_row(7, At(1, 1), command)
    body = orjson.loads(old.body)
    old = evolve(old, body=orjson.dumps({"who": body.pop("player"), **body}))

    def read_kick_1(body: bytes) -> commands.Kick:
        fields = orjson.loads(body)
        return commands.Kick(fields.pop("who"), **fields)

    monkeypatch.setitem(codec.TAGS, commands.Kick, ("kick", 2))
    monkeypatch.setitem(codec.READERS, ("kick", 2), codec.READERS["kick", 1])
    monkeypatch.setitem(codec.READERS, ("kick", 1), read_kick_1)
    new = write_row(7, At(1, 1), command)
    assert [row.version for row in (old, new)] == [1, 2]
    assert read_row(old) == read_row(new) == (command, At(1, 1))


@pytest.mark.parametrize(
    "make",
    [partial(commands.Enter, 1, "ann", "any", "::1"), partial(commands.Arrive, 1, "t1", "ann", "any", "::1")],
    ids=["enter", "arrive"],
)
def test_nothing_but_capabilities_is_journaled(make: Callable[..., commands.Command]) -> None:
    """A row with an unknown word would keep the server from starting again."""
    with pytest.raises(TypeError, match="capabilities"):
        make(capabilities=("say",))


def test_there_is_a_golden_journal() -> None:
    assert list(GOLDEN.glob("*.jsonl"))
