"""Any commands in any order: the lobby holds together, and its journal tells the same lobby again."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from games.mastermind import GAME as MASTERMIND
from gameserver.core.commands import (
    Accept,
    Capability,
    Challenge,
    ChallengeTimeUp,
    Depart,
    Enter,
    Leave,
    Play,
    Ready,
    Resign,
    RoomTimeUp,
    Say,
    Seek,
    Sit,
    TimeUp,
    Withdraw,
)
from gameserver.core.events import Accepted, Code, EndReason
from gameserver.core.identity import Proof
from gameserver.journal.recovery import replay
from gameserver.journal.snapshot import digest, read_snapshot, write_snapshot
from gameserver.policies import Rules
from tests.support.examples import examples
from tests.support.games import Broken, Countdown, Dice, Heap, catalogue
from tests.support.journals import RowsOnly
from tests.support.lobbies import LobbyHarness

GAMES = catalogue(Countdown(), Dice(), Heap(), MASTERMIND, Broken("play"), Broken("resigned"), Broken("start"))
SESSIONS = st.integers(1, 5)
NAMES = st.sampled_from(["ann", "bob", "cyd", "dan", "house-random"])
GAME_NAMES = st.sampled_from(["Countdown", "Countdown", "Dice", "Broken-play", "Broken-resigned", "nope"])
TABLES = st.integers(-1, 3)
PRACTICE = st.sampled_from(
    [
        ("Countdown", None),
        ("Heap", None),
        ("Heap", {"heap": 2}),
        ("Heap", {"heap": 0}),
        ("Heap", {"size": 2}),
        ("Mastermind", {"code_length": 2, "value_count": 2, "max_turns": 2, "secret_is_drawn": True}),
        ("Broken-play", None),
        ("Broken-start", None),
        ("nope", None),
    ]
)
MOVES = st.sampled_from(["1", "2", "roll", "x"])


class LobbyMachine(RuleBasedStateMachine):
    """Six connections, four names, seven games of which three are broken; some connections know rooms, some do not,
    some come by a key, and some enter without a name and practise with the house."""

    @initialize(
        drop_grace_ms=st.sampled_from([0, 5_000]),
        key_grace_ms=st.sampled_from([0, 20_000]),
        pause_ms=st.sampled_from([0, 100]),
        turn_time_ms=st.sampled_from([1_000, 10_000]),
        room_game=st.sampled_from(["Countdown", "Countdown", "Broken-play", "Broken-start"]),
        by_rooms=st.integers(0, 3),
    )
    def set_up(
        self, drop_grace_ms: int, key_grace_ms: int, pause_ms: int, turn_time_ms: int, room_game: str, by_rooms: int
    ) -> None:
        rules = Rules(
            drop_grace_ms=drop_grace_ms,
            key_grace_ms=key_grace_ms,
            first_move_pause_ms=pause_ms,
            turn_time_ms=turn_time_ms,
            room_game=room_game,
            room_turn_time_ms=turn_time_ms,
            room_start_time_ms=15_000,
            room_count=3,
            house_accept_ms=pause_ms,
        )
        self.harness = LobbyHarness(GAMES, rules)
        for session, name in enumerate(("ann", "bob", "cyd"), start=1):
            if session <= by_rooms:
                self.harness.enter_by_rooms(session, name)
                self.harness.sit(session, session // 2)
            else:
                self.harness.enter(session, name)

    @rule(session=SESSIONS, name=NAMES, address=st.sampled_from(["10.0.0.1", "10.0.0.2"]))
    def enter(self, session: int, name: str, address: str) -> None:
        self.harness.do(Enter(session, name, "strategic", address, (Capability.CHAT, Capability.CHALLENGE)))

    @rule(session=SESSIONS, name=NAMES, address=st.sampled_from(["10.0.0.1", "10.0.0.2"]))
    def enter_by_rooms(self, session: int, name: str, address: str) -> None:
        self.harness.enter_by_rooms(session, name, address)

    @rule(
        session=SESSIONS,
        name=NAMES,
        address=st.sampled_from(["10.0.0.1", "10.0.0.2"]),
        key=st.sampled_from(["ab" * 32, "ab" * 32, "cd" * 32, ""]),
        proof=st.sampled_from([Proof.OPEN, Proof.OPEN, Proof.OPEN, Proof.UNPROVEN, Proof.PROVEN]),
    )
    def enter_by_key(self, session: int, name: str, address: str, key: str, proof: Proof) -> None:
        lobby = self.harness.lobby
        player, match = lobby.players.get(name), lobby.matches.get(lobby.seated.get(name, 0))
        own = ("" if player is None else player.key, "" if match is None else match.seats[match.seat_of(name)].key)
        web = (Capability.CHALLENGE, Capability.CHAT, Capability.READY)
        answer = self.harness.do(Enter(session, name, "web", address, web, key=key, proof=proof))
        has_right = proof is Proof.PROVEN or (key != "" and key in own)
        if isinstance(answer, Accepted):
            assert has_right or (player is None and own[1] == "" and proof is Proof.OPEN)
        elif has_right:
            assert answer.code in {Code.ALREADY_ENTERED, Code.NAME_RESERVED}

    @rule(session=SESSIONS, prefix=st.sampled_from(["mm-", "mm-", "ann"]))
    def enter_anonymously(self, session: int, prefix: str) -> None:
        self.harness.enter_anonymously(session, prefix)

    @rule(session=SESSIONS, wanted=PRACTICE, to=st.sampled_from(["house-random", "house-random", "ann"]))
    def practise(self, session: int, wanted: tuple[str, dict[str, Any] | None], to: str) -> None:
        game, options = wanted
        self.harness.practise(session, game, to, **(options or {}))

    @rule(session=SESSIONS, number=TABLES)
    def sit(self, session: int, number: int) -> None:
        self.harness.do(Sit(session, number))

    @rule(session=SESSIONS)
    def ready(self, session: int) -> None:
        self.harness.do(Ready(session))

    @rule(session=SESSIONS, match=st.none() | st.integers(0, 3))
    def depart(self, session: int, match: int | None) -> None:
        self.harness.do(Depart(session, match))

    @rule(session=SESSIONS, fault=st.sampled_from(["", "bots.chat"]))
    def leave(self, session: int, fault: str) -> None:
        before = len(self.harness.records)
        self.harness.do(Leave(session, fault=fault))
        ended = self.harness.records[before:] if fault else ()
        assert all(record.reason in {"void", "abandoned"} for record in ended), "nobody loses by our bug"

    @rule(session=SESSIONS, game=GAME_NAMES)
    def seek(self, session: int, game: str) -> None:
        self.harness.do(Seek(session, game))

    @rule(session=SESSIONS)
    def withdraw(self, session: int) -> None:
        self.harness.do(Withdraw(session))

    @rule(session=SESSIONS, to=NAMES, game=GAME_NAMES, turn_time_ms=st.sampled_from([None, 500, 2_000]))
    def challenge(self, session: int, to: str, game: str, turn_time_ms: int | None) -> None:
        self.harness.do(Challenge(session, to, game, turn_time_ms))

    @rule(session=SESSIONS, number=st.none() | st.integers(0, 5))
    def accept(self, session: int, number: int | None) -> None:
        self.harness.do(Accept(session, number))

    @rule(session=SESSIONS, move=MOVES, lag_ms=st.integers(0, 3_000))
    def play(self, session: int, move: str, lag_ms: int) -> None:
        self.harness.do(Play(session, move), stamp_ms=self.harness.now_ms - lag_ms)

    @rule(data=st.data())
    def play_on(self, data: st.DataObject) -> None:
        """Let somebody who is to act in some match make a legal move, so that matches get somewhere."""
        matches = list(self.harness.lobby.matches.values())
        if not matches:
            return
        match = data.draw(st.sampled_from(matches))
        for seat in match.turn.seats:
            holder = match.seats[seat]
            if holder.session is not None:
                move = match.game.write_move(data.draw(st.sampled_from(list(match.state.legal_moves(seat)))))
                self.harness.do(Play(holder.session, move, match.id, seat, match.turn.number))

    @rule(session=SESSIONS)
    def resign(self, session: int) -> None:
        self.harness.do(Resign(session))

    @rule(session=SESSIONS, to=NAMES)
    def say(self, session: int, to: str) -> None:
        self.harness.do(Say(session, to, "hi"))

    @rule(passed_ms=st.integers(1, 20_000))
    def wait(self, passed_ms: int) -> None:
        self.harness.now_ms += passed_ms
        for match in list(self.harness.lobby.matches):
            self.harness.do(TimeUp(match))
        for number in list(self.harness.lobby.rooms):
            self.harness.do(RoomTimeUp(number))
        for number in list(self.harness.lobby.challenges):
            self.harness.do(ChallengeTimeUp(number))

    @rule(match=st.integers(0, 5))
    def alarm_too_early(self, match: int) -> None:
        self.harness.do(TimeUp(match))

    @rule()
    def restart(self) -> None:
        self.harness.start()

    @invariant()
    def a_snapshot_is_the_lobby(self) -> None:
        snapshot = write_snapshot(self.harness.lobby, 1, 2)
        assert digest(read_snapshot(snapshot, GAMES)) == digest(self.harness.lobby)

    def teardown(self) -> None:
        if not hasattr(self, "harness"):
            return
        journal = RowsOnly()
        journal.append(self.harness.rows)
        replayed = replay(journal, GAMES)
        assert replayed.skipped == ()
        assert digest(replayed.lobby) == digest(self.harness.lobby)
        for record in self.harness.records:
            losers = [seat for seat in record.seats if seat.result == "loss"]
            blameless = record.reason in {EndReason.VOID, EndReason.ABANDONED}
            assert blameless <= (not losers), "a match that is void or abandoned has no loser"


LobbyMachine.TestCase.settings = settings(max_examples=examples(40), stateful_step_count=40, deadline=None)
TestLobbyMachine = LobbyMachine.TestCase


@pytest.mark.slow
def test_the_lobby_for_longer() -> None:
    run_state_machine_as_test(
        LobbyMachine, settings=settings(max_examples=1_000, stateful_step_count=40, deadline=None)
    )


DIGEST_PROGRAM = """
import sys, orjson
from gameserver.journal.journal import JournalRow
from tests.support.journals import RowsOnly
from gameserver.journal.recovery import replay
from gameserver.journal.snapshot import digest
from tests.support.games import Countdown, Dice, catalogue
journal = RowsOnly()
journal.append([JournalRow(*row[:6], row[6].encode()) for row in orjson.loads(sys.stdin.read())])
print(digest(replay(journal, catalogue(Countdown(), Dice())).lobby))
"""


def test_another_process_with_another_hash_seed_comes_to_the_same_digest() -> None:
    harness = LobbyHarness(catalogue(Countdown(), Dice()), Rules(drop_grace_ms=1_000))
    names = ["ann", "bob", "cyd", "dan", "eve", "fay"]
    for session, name in enumerate(names, start=1):
        harness.enter(session, name)
        harness.seek(session, "Dice" if session % 3 else "Countdown")
    for match in list(harness.lobby.matches.values()):
        harness.play(match.seats[0].session, match.game.write_move(match.state.legal_moves(0)[0]))
    harness.challenge(6, "cyd", "Dice")
    harness.leave(1)
    rows: list[Any] = [
        (row.seq, row.now_ms, row.stamp_ms, row.wall_ms, row.tag, row.version, row.body.decode())
        for row in harness.rows
    ]
    seeds = {"1", "2"} - {os.environ.get("PYTHONHASHSEED")}
    there = subprocess.run(
        [sys.executable, "-c", DIGEST_PROGRAM],
        input=orjson.dumps(rows),
        capture_output=True,
        check=True,
        cwd=Path(__file__).parents[2],
        env={"PYTHONHASHSEED": max(seeds), "PYTHONPATH": "."},
    )
    assert there.stdout.decode() == digest(harness.lobby) + "\n"
