"""The time left of whole tournaments, some of whose players never come or leave early."""

import random
from collections.abc import Iterator, Mapping
from itertools import pairwise

import pytest

from gameserver.cli.rehearse import rehearse
from gameserver.core.lobby import TournamentRow
from gameserver.tournaments.model import PairingStatus, Timing
from gameserver.tournaments.presets import preset
from gameserver.tournaments.progress import left_ms
from tests.support.games import Countdown, catalogue

NEVER = 0
"""The time at which a player leaves who never comes."""

# Preset and changes, players, mean think time, and when which player leaves.
EVENTS = {
    "round robin, one never comes": ("hanze", {}, 10, 500, {3: NEVER}),
    "round robin, two never come": ("hanze", {}, 12, 500, {3: NEVER, 8: NEVER}),
    "round robin, one leaves": ("hanze", {}, 9, 4_000, {2: 30_000}),
    "round robin by rounds, one leaves": ("hanze", {"pacing": "rounds"}, 9, 500, {5: 10_000}),
    "double round robin, one never comes": ("league", {}, 6, 2_000, {1: NEVER}),
    "Swiss, one never comes": ("swiss", {}, 12, 500, {12: NEVER}),
    "Swiss, one never comes and one leaves": ("swiss", {}, 17, 5_000, {4: NEVER, 9: 60_000}),
    "knockout, one never comes": ("cup", {}, 8, 500, {6: NEVER}),
    "knockout, two never come": ("cup", {}, 16, 3_000, {2: NEVER, 11: NEVER}),
    "double elimination, one never comes": ("cup", {"format": "double-elimination"}, 8, 1_000, {7: NEVER}),
}


def timings(
    looks: list[tuple[TournamentRow, int]], leaves_ms: Mapping[str, int]
) -> Iterator[tuple[TournamentRow, Timing]]:
    """What a server would know at every decision, and half the way to the next."""
    began_ms: dict[int, int] = {}
    for (row, at_ms), (_, next_ms) in pairwise(looks):
        playing = [one for one in row.state.pairings if one.status is PairingStatus.PLAYING]
        at_play = {name for pairing in playing for name in pairing.seats}
        for now_ms in (at_ms, (at_ms + next_ms) // 2):
            gone = frozenset(name for name, leaves in leaves_ms.items() if leaves <= now_ms and name not in at_play)
            waited = {number: row.state.plan.no_show_ms - until + now_ms for number, until in row.waits.items()}
            played = {one.number: now_ms - began_ms.setdefault(one.number, at_ms) for one in playing}
            yield row, Timing(row.has_run_ms(now_ms), now_ms, row.took_ms, waited | played, gone)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("event", EVENTS)
def test_players_who_do_not_come_cost_what_they_cost(event: str, seed: int) -> None:
    which, changes, players, think_ms, leaves = EVENTS[event]
    leaves_ms = {f"player {number}": at_ms for number, at_ms in leaves.items()}
    chance, looks = random.Random(seed), list[tuple[TournamentRow, int]]()
    plan = preset(which, "Cup", "Countdown", **changes)
    done = rehearse(
        catalogue(Countdown()),
        plan,
        players,
        lambda: 1 + int(chance.random() * 2 * think_ms),
        chance,
        lambda row, now_ms: looks.append((row, now_ms)),
        leaves_ms,
    )
    # Near the end all depends on one game; in the best of three, on whether there is a third.
    slack_ms = done.longest_game_ms * (2 if plan.is_bracket else 1)
    for row, timing in timings(looks, leaves_ms):
        true_ms = done.took_ms - timing.now_ms
        if true_ms <= done.took_ms * 3 / 4:
            told_ms = left_ms(row.state, timing)
            assert told_ms is not None
            told = f"said {told_ms} ms, and it took {true_ms}, of {done.took_ms}; a game took {done.longest_game_ms}"
            assert true_ms / 1.5 - slack_ms <= told_ms <= true_ms * 1.5 + slack_ms, told
