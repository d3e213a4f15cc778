"""Processes in which house players think: they may die, hang or lack the game, and no match suffers from it."""

import os
from pathlib import Path
from typing import Any

import psutil
import pytest
import trio

from games.mastermind import GAME as MASTERMIND
from games.reversi import GAME as REVERSI
from gameserver.server import thinkers as thinkers_module
from gameserver.server.thinker_process import NICENESS
from gameserver.server.thinkers import RANDOM, Thought, WorkerThinkers, evaluation_of, packed, think, think_packed
from tests.support.games import Countdown
from tests.support.thoughtful_games import GAME, LOCAL, MARK, Unjudged

LONG_S = 60.0
"""Longer than anything here takes on the slowest machine."""


def thought(strategy: str, game: Countdown = GAME, key: str = "1|1|0|0") -> Thought:
    return Thought(game, game.start(None), 0, strategy, "ab" * 32, key)


@pytest.fixture
def marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(MARK, str(tmp_path / "mark"))
    return tmp_path / "mark"


def children() -> set[int]:
    return {process.pid for process in psutil.Process().children() if "spawn_main" in " ".join(process.cmdline())}


@pytest.mark.parametrize("strategy", ["most", "any", "random"])
def test_a_thought_that_was_sent_comes_to_the_same(strategy: str) -> None:
    thoughts = [thought(strategy, key=str(number)) for number in range(20)]
    verdicts = [think(each) for each in thoughts]
    assert [think_packed(packed(each)) for each in thoughts] == verdicts
    assert all(not verdict.fault and verdict.move in {"1", "2"} for verdict in verdicts)


def test_one_of_more_moves_than_an_index_can_tell_is_chosen() -> None:
    large = MASTERMIND.start(MASTERMIND.options_type(code_length=100, value_count=1000))
    verdict = think(Thought(MASTERMIND, large, large.turn.seats[0], RANDOM, "ab" * 32, ""))
    assert (verdict.fault, verdict.is_forced) == ("", False)
    assert MASTERMIND.read_move(verdict.move) in large.legal_moves(large.turn.seats[0])


def test_a_forced_move_is_known_as_one() -> None:
    last = Thought(GAME, GAME.start(None).play(0, 2).play(1, 2), 0, "most", "ab" * 32, "")
    assert think(last).is_forced
    assert not think(thought("most")).is_forced


async def test_thinking_is_done_elsewhere_and_ends_with_the_thinkers() -> None:
    before = children()
    thinkers = WorkerThinkers(1)
    async with thinkers.opened():
        assert thinkers.processes == 0, "none is started before there is anything to think about"
        said = [(await thinkers.decide(thought("tells"), LONG_S)).fault for _ in range(2)]
        (worker,) = children() - before
        assert thinkers.processes == 1
        assert all(f"process {worker} of niceness {min(19, os.nice(0) + NICENESS)}" in fault for fault in said)
    assert not psutil.pid_exists(worker)


async def test_a_process_that_dies_or_hangs_is_replaced_and_a_broken_strategy_is_a_fault(marked: Path) -> None:
    thinkers = WorkerThinkers(1)
    async with thinkers.opened():
        for strategy, within_s, moves, fault in (
            ("dies-once", LONG_S, {"2"}, ""),  # the thought begins anew
            ("dies", LONG_S, {"1", "2"}, ""),  # any legal move is made
            ("forever", 0.2, {"1", "2"}, ""),
            ("tells", LONG_S, {""}, "RuntimeError"),
            ("leaves", LONG_S, {""}, "SystemExit: 3"),
            ("cheat", LONG_S, {""}, "illegal move: 3"),
        ):
            verdict = await thinkers.decide(thought(strategy), within_s)
            assert verdict.move in moves, strategy
            assert bool(fault) == bool(verdict.fault), strategy
            assert fault in verdict.fault, strategy
            if strategy == "dies-once":
                assert marked.exists()  # noqa: ASYNC240 - at once
            if strategy == "forever":
                assert not psutil.pid_exists(int(marked.read_text()))  # noqa: ASYNC240 - a few bytes
            assert (await thinkers.decide(thought("most"), LONG_S)).move == "2", strategy


async def test_no_opinion_is_had_of_what_is_hidden_or_from_a_broken_evaluator(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(thinkers_module, "_EVALUATE_MAX_S", LONG_S)
    thinkers = WorkerThinkers(1)
    async with thinkers.opened():
        chance = await thinkers.evaluate(REVERSI, REVERSI.start(REVERSI.options_type()))
        assert chance is not None
        assert 0.2 < chance < 0.8
        for game in (GAME, Unjudged(), Unjudged()):
            assert await thinkers.evaluate(game, game.start(None)) is None
        assert (await thinkers.decide(thought("most", Unjudged()), LONG_S)).move == "2", "it plays on"
    assert capsys.readouterr().out.count("opinion cannot be had") == 1
    monkeypatch.setattr(type(MASTERMIND), "evaluators", {"master": lambda _: 0.5})
    start = MASTERMIND.start(MASTERMIND.options_type())
    (maker,) = start.turn.seats
    assert evaluation_of(MASTERMIND, start.play(maker, start.legal_moves(maker)[0])) is None


async def test_an_opinion_that_takes_long_is_given_up_at_last(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(thinkers_module, "_EVALUATIONS_TOO_LONG_MAX", 2)
    thinkers = WorkerThinkers(1)
    start = REVERSI.start(REVERSI.options_type())
    async with thinkers.opened():
        for within_s, is_had in ((0.0, False), (LONG_S, True), (0.0, False), (0.0, False), (LONG_S, False)):
            monkeypatch.setattr(thinkers_module, "_EVALUATE_MAX_S", within_s)
            assert (await thinkers.evaluate(REVERSI, start) is not None) == is_had
    assert capsys.readouterr().out.count("2 times in a row") == 1


async def test_a_game_that_cannot_be_sent_is_thought_about_in_a_thread(capsys: pytest.CaptureFixture[str]) -> None:
    thinkers = WorkerThinkers(1)
    async with thinkers.opened():
        assert (await thinkers.decide(thought("most", LOCAL), LONG_S)).move == "2"
        assert f"process {os.getpid()} " in (await thinkers.decide(thought("tells", LOCAL), LONG_S)).fault
        assert thinkers.processes == 0
        verdict = await thinkers.decide(thought("naps", LOCAL), 0.001)
        assert verdict.move in {"1", "2"}, "a thread cannot be stopped; the match goes on without it"
    said = capsys.readouterr()
    assert (said.out + said.err).count("cannot be handed to a thinking process") == 1


async def test_threads_that_cannot_be_stopped_are_not_those_of_everything_else() -> None:
    limiter = trio.to_thread.current_default_thread_limiter()
    others = [object() for _ in range(int(limiter.total_tokens))]
    thinkers = WorkerThinkers(1)
    async with thinkers.opened():
        for other in others:
            limiter.acquire_on_behalf_of_nowait(other)
        try:
            with trio.fail_after(LONG_S / 2):
                assert (await thinkers.decide(thought("most", LOCAL), LONG_S)).move == "2"
        finally:
            for other in others:
                limiter.release_on_behalf_of(other)


async def test_a_game_that_the_process_cannot_import_is_thought_about_in_a_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Unknown(Countdown):
        name = "Unknown"
        strategies = {"most": GAME.strategies["most"]}  # noqa: RUF012

    Unknown.__qualname__ = "Unknown"
    Unknown.__module__ = "no_such_module"
    monkeypatch.setitem(__import__("sys").modules, "no_such_module", type("Module", (), {"Unknown": Unknown}))
    thinkers = WorkerThinkers(1)
    async with thinkers.opened():
        assert (await thinkers.decide(thought("most", Unknown()), LONG_S)).move == "2"


async def test_at_most_so_many_processes_think_at_once() -> None:
    before, thinkers, seen = children(), WorkerThinkers(2), set[int]()
    verdicts: list[Any] = []

    async def decide() -> None:
        verdicts.append(await thinkers.decide(thought("naps"), LONG_S))
        seen.update(children() - before)

    async with thinkers.opened():
        async with trio.open_nursery() as nursery:
            for _ in range(12):
                nursery.start_soon(decide)
        assert [verdict.move for verdict in verdicts] == ["2"] * 12
        assert 1 <= len(seen) <= 2
    assert not any(psutil.pid_exists(pid) for pid in seen)


async def test_an_idle_process_ends() -> None:
    thinkers = WorkerThinkers(1, idle_s=0.05)
    async with thinkers.opened():
        await thinkers.decide(thought("most"), LONG_S)
        with trio.fail_after(LONG_S):
            while thinkers.processes:  # noqa: ASYNC110 - nothing tells of it
                await trio.sleep(0.01)
        assert (await thinkers.decide(thought("most"), LONG_S)).move == "2"
