"""Tests of the pairing of a ladder: what holds for any who wait, and what becomes of a day of many programs."""

import heapq
import random
from collections import Counter
from itertools import count

from hypothesis import given
from hypothesis import strategies as some

from gameserver.ladder import (
    ALONE_AFTER_MS,
    ANCHOR_AFTER_MS,
    ANCHOR_SHARE,
    BETWEEN_MS,
    DAY_MS,
    WINDOW_MS,
    LadderHistory,
    LadderResult,
    next_pairings,
)
from tests.support.generators import drained

NOW_MS = 1_800_000_000_000
NAMES = [f"p{number}" for number in range(8)]
ANCHORS = {"house-novice": 900.0, "house-club": 1500.0}

names = some.sampled_from([*NAMES, *ANCHORS])
results = some.lists(
    some.tuples(
        some.integers(0, WINDOW_MS + DAY_MS), some.tuples(names, names).filter(lambda pair: pair[0] != pair[1])
    ),
    max_size=40,
).map(lambda found: sorted(found, reverse=True))
waits = some.dictionaries(some.sampled_from(NAMES), some.integers(0, 3_600_000))
ratings = some.fixed_dictionaries({name: some.floats(500, 2500) for name in NAMES})


def history_of(*found: tuple[int, tuple[str, str]]) -> LadderHistory:
    """Matches that ended so long ago, with their players in the order of the seats."""
    history = LadderHistory()
    lines = [
        LadderResult(number, NOW_MS - ago_ms, pair, ("win", "loss")) for number, (ago_ms, pair) in enumerate(found)
    ]
    history.add(lines, NOW_MS)
    return history


def paired(history: LadderHistory, waited_ms: dict[str, int], of: dict[str, float], anchors: bool = True):
    since_ms = {name: NOW_MS - waited for name, waited in waited_ms.items()}
    known = dict.fromkeys(NAMES, 1500.0) | of
    return drained(next_pairings(history, since_ms, known, ANCHORS if anchors else {}, NOW_MS))


@given(results, waits, ratings)
def test_any_pairing_keeps_the_rules(found, waited_ms, of) -> None:
    history = history_of(*found)
    pairs, later_ms = paired(history, waited_ms, of)
    people = [name for pair in pairs for name in pair if name not in ANCHORS]
    assert len(set(people)) == len(people), "nobody plays two at once"
    assert set(people) <= waited_ms.keys()
    assert later_ms is None or later_ms > NOW_MS
    for pair in pairs:
        met = [(ago_ms, seats) for ago_ms, seats in found if set(seats) == set(pair) and ago_ms < WINDOW_MS]
        assert all(ago_ms >= BETWEEN_MS for ago_ms, _ in met)
        assert not met or met[-1][1] == pair[::-1], "the seats alternate"
        anchored = next((name for name in pair if name not in ANCHORS), None) if set(pair) & ANCHORS.keys() else None
        if anchored is not None:
            own = [(ago_ms, seats) for ago_ms, seats in found if anchored in seats and ago_ms < WINDOW_MS]
            latest = own[-(ANCHOR_SHARE - 1) :]
            had_one = any(set(seats) & ANCHORS.keys() for _, seats in latest)
            assert waited_ms[anchored] >= (ALONE_AFTER_MS if had_one else ANCHOR_AFTER_MS)


@given(results, waits, ratings)
def test_a_look_at_the_named_time_pairs_somebody(found, waited_ms, of) -> None:
    """Nothing else wakes the director when nobody comes: without a time, somebody would wait for ever."""
    history = history_of(*found)
    pairs, later_ms = paired(history, waited_ms, of)
    rest = {name: NOW_MS - waited for name, waited in waited_ms.items() if all(name not in pair for pair in pairs)}
    if rest:
        assert later_ms is not None
        later, _ = drained(next_pairings(history, rest, of, ANCHORS, later_ms))
        assert later or pairs, "the time may have been that of a pair that is playing now"


def test_near_equal_is_preferred_and_the_longest_wait_chooses() -> None:
    of = {"p0": 1500.0, "p1": 1590.0, "p2": 1510.0, "p3": 1580.0}
    pairs, _ = paired(history_of(), {"p0": 9, "p1": 8, "p2": 7, "p3": 6}, of)
    assert [set(pair) for pair in pairs] == [{"p0", "p2"}, {"p1", "p3"}]


def test_least_met_is_preferred() -> None:
    history = history_of(*((DAY_MS - number, ("p0", "p1")) for number in range(4)), (DAY_MS, ("p0", "p2")))
    pairs, _ = paired(history, {"p0": 9, "p1": 8, "p2": 7}, {})
    assert [set(pair) for pair in pairs] == [{"p0", "p2"}]


def test_far_apart_meet_after_a_while_only() -> None:
    of = {"p0": 1000.0, "p1": 1500.0}
    assert paired(history_of(), {"p0": 159_000, "p1": 0}, of, anchors=False)[0] == []
    assert paired(history_of(), {"p0": 160_000, "p1": 0}, of, anchors=False)[0] == [("p0", "p1")]


def test_a_lone_player_meets_the_nearest_anchor() -> None:
    assert paired(history_of(), {"p0": ANCHOR_AFTER_MS - 1}, {})[0] == []
    assert paired(history_of(), {"p0": ANCHOR_AFTER_MS}, {})[0] == [("p0", "house-club")]
    assert paired(history_of(), {"p0": ANCHOR_AFTER_MS}, {}, anchors=False) == ([], None)


def test_a_day_of_many_gives_everybody_matches_of_both_colours() -> None:
    """Sixty programs of all strengths, each of which rests half an hour or so after a match of some minutes."""
    chance = random.Random(7)
    of = {f"bot{number}": 1000.0 + 20 * number for number in range(60)}
    history, played, gaps, numbers = LadderHistory(), Counter[str](), [], count()
    events = [(NOW_MS + chance.randrange(1_800_000), "comes", (name,)) for name in of]
    heapq.heapify(events)
    waiting: dict[str, int] = {}
    while events[0][0] < NOW_MS + DAY_MS:
        now_ms, what, who = heapq.heappop(events)
        if what == "comes":
            waiting[who[0]] = now_ms
        elif what == "ends":
            history.add([LadderResult(next(numbers), now_ms, who, ("win", "loss"))], now_ms)
            for name in who:
                if name in of:
                    heapq.heappush(events, (now_ms + chance.randrange(3_600_000), "comes", (name,)))
        pairs, later_ms = drained(next_pairings(history, waiting, of, ANCHORS, now_ms))
        for pair in pairs:
            played.update(pair)
            gaps += [abs(of[pair[0]] - of[pair[1]])] if pair[0] in of and pair[1] in of else []
            heapq.heappush(events, (now_ms + chance.randrange(60_000, 600_000), "ends", pair))
            for name in pair:
                waiting.pop(name, None)
        if later_ms is not None:
            heapq.heappush(events, (later_ms, "looks", ()))
    counts = sorted(played[name] for name in of)
    assert counts[0] >= 20
    assert counts[-1] <= 2 * counts[0]
    assert sum(gaps) / len(gaps) < 200, "on average the range is a third of all: 400"
    assert sum(played[name] for name in ANCHORS) < sum(counts) / ANCHOR_SHARE
    for name in of:
        firsts = [one.players[0] == name for one in history.results_of(name)]
        assert abs(2 * sum(firsts) - len(firsts)) <= 6


def test_history_forgets_what_is_older_than_its_window() -> None:
    history = history_of((WINDOW_MS - 1, ("p0", "p1")), (5, ("p1", "p2")))
    assert (history.players, history.meetings("p1", "p0")) == (["p0", "p1", "p2"], 1)
    history.add([], NOW_MS + 1)
    assert (history.players, history.meetings("p1", "p0"), history.matches_a_day) == (["p1", "p2"], 0, 1)
    history.add(list(history.results_of("p2")), NOW_MS + 1)
    assert len(history.results_of("p1")) == 1, "what is known changes nothing"
