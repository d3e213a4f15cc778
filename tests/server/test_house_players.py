"""House players: they play whatever comes, and their bugs are the server's, not the student's."""

import math
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import attrs
import pytest
import trio
from trio.testing import MockClock

from gameserver.game import Strategy
from gameserver.server import house_players, server
from gameserver.server.house_players import LEVELS, HouseTurn, pause_ms
from gameserver.server.thinkers import ThinkerAnswer, Thinkers, Thought, think
from gameserver.settings import HouseTerms, Pace
from protocols.web import PROTOCOL as WEB
from tests.support.games import Countdown, Heap, HeapOptions, catalogue
from tests.support.own_plugins import GAMES
from tests.support.serving import NO_PAUSE, LineClient, Running, serving


def takes_the_most(state: Any, seat: int, choose: Any) -> int:
    return max(state.legal_moves(seat))


def breaks(state: Any, seat: int, choose: Any) -> int:
    raise ZeroDivisionError


def cheats(state: Any, seat: int, choose: Any) -> int:
    return 3


class Coached(Countdown):
    strategies: Mapping[str, Strategy] = {"most": takes_the_most, "broken": breaks, "cheat": cheats}


async def play_on(client: LineClient) -> list[str]:
    """Answer every turn with a 1, to the end of the match."""
    said = [await client.line()]
    while not any(word in said[-1] for word in ("WIN", "LOSS", "DRAW")):
        if "YOURTURN" in said[-1]:
            await client.send("move 1")
        said.append(await client.line())
    return said


class LowRandom(Coached):
    """Its random player is never more than one."""

    strategies: Mapping[str, Strategy] = {"random": lambda state, seat, choose: 1}


VOID = 'SVR GAME DRAW {PLAYERONESCORE: "0", PLAYERTWOSCORE: "0", COMMENT: "Match void"}'


@pytest.mark.parametrize(
    ("game", "house", "first_moves", "ends"),
    [
        (LowRandom(), "random", {"1"}, {"WIN", "LOSS"}),
        (Coached(), "random", {"1", "2"}, {"WIN", "LOSS"}),
        (Coached(), "most", {"2"}, {"WIN", "LOSS"}),
        (Coached(), "broken", set(), {"DRAW", "WIN"}),
        (Coached(), "cheat", set(), {"DRAW", "WIN"}),
    ],
)
async def test_the_house_plays_as_its_strategy_says_and_one_that_fails_costs_nobody(
    autojump_clock: MockClock, game: Countdown, house: str, first_moves: set[str], ends: set[str]
) -> None:
    async with serving(games=catalogue(game)) as running:
        (ann,) = await running.enter("ann")
        results = []
        for _ in range(6):
            await ann.send(f'challenge "house-{house}" "Countdown"')
            said = await play_on(ann)
            moves = [line.partition('MOVE: "')[2][0] for line in said if f'MOVE {{PLAYER: "house-{house}"' in line]
            assert set(moves[:1]) <= first_moves
            assert bool(moves) == bool(first_moves)
            results.append(said[-1])
        assert {result.split()[2] for result in results} <= ends
        assert (VOID in results) == ("DRAW" in ends)


async def test_the_list_with_the_house_alone_fits_into_one_read_of_256_bytes(autojump_clock: MockClock) -> None:
    async with serving(games=catalogue(*GAMES)) as running:
        (ann,) = await running.enter("ann")
        await ann.send("get playerlist")
        listed = (await ann.lines(2))[1]
        assert len(listed) + len("\r\n") < 256
        names = listed.removeprefix('SVR PLAYERLIST ["').removesuffix('"]').split('", "')
        assert names == ["ann", *(f"house-{level}" for level in LEVELS[: len(names) - 1])]


THINKING_S = 1.0


def takes_any(state: Any, seat: int, choose: Any) -> int:
    return choose(state.legal_moves(seat))


class Studied(Heap):
    """A heap of nine, and players who take any, the slow ones after some thought."""

    name = "Studied"
    strategies: ClassVar[Mapping[str, Strategy]] = {"slow": takes_any, "quick": takes_any}

    def start(self, options: Any) -> Any:
        return super().start(HeapOptions(9))


async def all_play(running: Running, houses: Mapping[str, str]) -> dict[str, list[str]]:
    """Have each of these players meet a house player, all at once; what they hear."""
    said: dict[str, list[str]] = {}

    async def play(client: LineClient) -> None:
        await meet(client, houses[client.name])
        said[client.name] = await play_on(client)

    async with trio.open_nursery() as nursery:
        for client in await running.enter(*houses):
            nursery.start_soon(play, client)
    return said


@attrs.define
class SlowThinkers(Thinkers):
    """Takes a second for a thought of `slow`."""

    at_once: int = 0
    at_once_max: int = 0
    within_s: list[float] = attrs.field(factory=list)
    order: list[str] = attrs.field(factory=list)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        yield

    async def decide(self, thought: Thought, within_s: float) -> ThinkerAnswer:
        self.at_once += 1
        self.at_once_max = max(self.at_once_max, self.at_once)
        self.within_s.append(within_s)
        self.order.append(thought.strategy)
        await trio.sleep(THINKING_S if thought.strategy == "slow" else 0)
        self.at_once -= 1
        return think(thought)


@pytest.fixture
def thinkers(monkeypatch: pytest.MonkeyPatch) -> SlowThinkers:
    slow = SlowThinkers()
    monkeypatch.setattr(server, "InlineThinkers", lambda: slow)
    return slow


def studied(**terms: Any) -> Any:
    return serving(games=catalogue(Studied()), house_terms=HouseTerms(**terms))


async def meet(client: LineClient, house: str, turn_time_s: int = 30) -> None:
    await client.send(f'challenge "{house}" "Studied" {turn_time_s}')


async def test_in_a_crowd_the_house_moves_in_time(
    autojump_clock: MockClock, thinkers: SlowThinkers, capsys: pytest.CaptureFixture[str]
) -> None:
    """Twenty turns of a second each wait for one process, and a turn may take four."""
    waits: list[float] = []

    async def play(client: LineClient) -> None:
        await meet(client, "house-slow", turn_time_s=4)
        waits.extend(await waits_for(client))

    async with studied(thinkers_max=1) as running:
        clients = await running.enter(*(f"p{number}" for number in range(20)))
        async with trio.open_nursery() as nursery:
            for client in clients:
                nursery.start_soon(play, client)
    assert len(waits) > 60
    assert max(waits) <= 3.0
    assert THINKING_S in waits, "who comes first is answered by the strategy"
    assert "has waited too long" in capsys.readouterr().out


@pytest.mark.parametrize(("now", "think_s"), [(100.0, 2.0), (101.0, 2.0), (102.0, 1.0), (103.0, 0.0), (110.0, 0.0)])
def test_a_turn_that_comes_too_late_has_no_time_and_none_less(now: float, think_s: float) -> None:
    game = Studied()
    thought = Thought(game, game.start(None), 0, "slow", "ab" * 32, "")
    assert HouseTurn(1, 0, thought, 4_000, 100.0, is_paced=False).think_s(now) == think_s
    assert HouseTurn(1, 0, thought, None, 100.0, is_paced=False).think_s(now) == math.inf


async def waits_for(client: LineClient) -> list[float]:
    """Play a match; the seconds from each move to the house's answer."""
    waits, asked = [], trio.current_time()
    line = ""
    while "COMMENT" not in line:
        line = await client.line()
        if 'MOVE {PLAYER: "house' in line:
            waits.append(round(trio.current_time() - asked, 6))
        elif 'MOVE {PLAYER: "' in line or "GAME MATCH" in line:
            asked = trio.current_time()
        elif "YOURTURN" in line:
            await client.send("move 1")
    return waits


@pytest.mark.parametrize("house", ["house-random", "house-quick"])
async def test_against_people_the_house_takes_a_persons_time(
    autojump_clock: MockClock, thinkers: SlowThinkers, monkeypatch: pytest.MonkeyPatch, house: str
) -> None:
    monkeypatch.setattr(house_players, "PACED_PROTOCOL", "strategic")
    async with studied() as running:
        (ann,) = await running.enter("ann")
        waits = []
        for _ in range(5):
            await meet(ann, house)
            waits += await waits_for(ann)
        assert len(waits) > 10
        assert all(0.2 <= wait <= 1.5 for wait in waits)
        assert len(set(waits)) > 5
        await meet(ann, house, turn_time_s=2)
        assert all(wait == pytest.approx(0.2) for wait in await waits_for(ann)), "a tenth of the turn's time"


async def test_thinking_counts_for_the_pause(autojump_clock: MockClock, thinkers: SlowThinkers) -> None:
    async with studied(pace=Pace.ALWAYS) as running:
        (ann,) = await running.enter("ann")
        await meet(ann, "house-slow")
        assert all(1.0 <= wait <= 1.5 for wait in await waits_for(ann))


@pytest.mark.parametrize("pace", [Pace.WEB, Pace.NEVER])
async def test_elsewhere_the_house_answers_at_once(
    autojump_clock: MockClock, thinkers: SlowThinkers, monkeypatch: pytest.MonkeyPatch, pace: Pace
) -> None:
    monkeypatch.setattr(house_players, "PACED_PROTOCOL", "web" if pace is Pace.WEB else "strategic")
    async with studied(pace=pace) as running:
        (ann,) = await running.enter("ann")
        await meet(ann, "house-quick")
        assert set(await waits_for(ann)) == {0.0}


def test_people_are_those_of_the_protocol_web() -> None:
    assert WEB.name == house_players.PACED_PROTOCOL


def test_pauses_are_shorter_where_there_is_no_choice() -> None:
    game = Studied()
    thoughts = [Thought(game, game.start(None), 0, "quick", "ab" * 32, str(number)) for number in range(200)]
    free = [pause_ms(thought, is_forced=False, turn_time_ms=None) for thought in thoughts]
    forced = [pause_ms(thought, is_forced=True, turn_time_ms=60_000) for thought in thoughts]
    assert min(free) in range(600, 650)
    assert max(free) in range(1450, 1501)
    assert min(forced) in range(200, 220)
    assert max(forced) in range(480, 501)


async def test_with_a_seed_the_same_moves_get_the_same_answers(autojump_clock: MockClock) -> None:
    once, again = [await games_of("term 4", seed * 32) for seed in ("ab", "cd")]
    assert len({tuple(moves) for moves in once + again}) <= 2, "one for each side that begins"
    others = [tuple(moves) for text in "5678" for moves in await games_of(text, "ab" * 32)]
    assert len(set(others)) > 4


async def test_without_one_games_differ_but_follow_from_the_seed_of_the_match(autojump_clock: MockClock) -> None:
    once, again, other = [await games_of("", seed * 32) for seed in ("ab", "ab", "cd")]
    assert once == again
    assert once != other
    assert len({tuple(moves) for moves in once}) > 2


async def games_of(seed: str, server_seed: str) -> list[list[str]]:
    """The house's moves in six games against `house-quick`, those in which the house begins first."""
    terms = HouseTerms(seed=seed)
    async with serving(
        games=catalogue(Studied()), house_terms=terms, rules=NO_PAUSE, new_seed=lambda: server_seed
    ) as running:
        (client,) = await running.enter("ann")
        games = []
        for _ in range(6):
            await meet(client, "house-quick")
            said = await play_on(client)
            first = 'PLAYERTOMOVE: "house' in "".join(said)
            moves = [line.partition('MOVE: "')[2][:1] for line in said if 'MOVE {PLAYER: "house' in line]
            games.append((not first, moves))
    return [moves for first, moves in sorted(games, key=lambda game: game[0])]


async def test_a_quick_player_overtakes_slow_ones_and_random_waits_for_none(
    autojump_clock: MockClock, thinkers: SlowThinkers
) -> None:
    async with studied(thinkers_max=1) as running:
        await all_play(running, {"ann": "house-slow", "bob": "house-quick"})
        cyd, dan = await running.enter("cyd", "dan")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(all_play, running, {f"p{number}": "house-slow" for number in range(6)})
            await trio.sleep(THINKING_S / 2)
            began = trio.current_time()
            await meet(dan, "house-random")
            await play_on(dan)
            assert trio.current_time() == began
            thinkers.order.clear()
            await meet(cyd, "house-quick")
            await play_on(cyd)
            turns = thinkers.order.count("quick")
            assert turns > 1
            assert thinkers.order.count("slow") <= turns, thinkers.order
            nursery.cancel_scope.cancel()


async def test_thinking_has_half_of_the_turns_time_and_no_more_than_the_setting(
    autojump_clock: MockClock, thinkers: SlowThinkers
) -> None:
    async with studied(think_max_s=6.0) as running:
        for turn_time_s, within_s in ((4, 2.0), (100, 6.0)):
            thinkers.within_s.clear()
            (client,) = await running.enter(f"p{turn_time_s}")
            await meet(client, "house-quick", turn_time_s)
            await play_on(client)
            assert set(thinkers.within_s) == {within_s}


async def test_a_position_is_evaluated_only_while_no_turn_of_the_house_waits(
    autojump_clock: MockClock, thinkers: SlowThinkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting: list[int] = []

    async def evaluate(game: Any, state: Any) -> float:
        waiting.append(len(house._waiting))
        return 0.25

    monkeypatch.setattr(Studied, "evaluators", {"slow": lambda _: 0.25})
    monkeypatch.setattr(SlowThinkers, "evaluate", staticmethod(evaluate))
    async with studied(thinkers_max=1) as running, trio.open_nursery() as nursery:
        house, matches = running.server._house, running.server._sequencer._lobby.matches
        nursery.start_soon(all_play, running, {f"p{number}": "house-slow" for number in range(3)})
        await trio.sleep(THINKING_S / 2)
        (match, *_), most = matches.values(), len(house._waiting)
        assert house.opinions(match) == {}
        while matches:
            for one in matches.values():
                house.opinions(one)
            await trio.sleep(THINKING_S / 10)
        assert 0.25 in house.opinions(match).values()
    assert most == 2
    assert set(waiting) == {0}
