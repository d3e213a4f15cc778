"""Tournaments in virtual time."""

import random

import pytest

from gameserver.cli.common import CommandFailed
from gameserver.cli.rehearse import rehearse
from gameserver.tournaments.presets import PRESETS, preset
from tests.support.games import Broken, Countdown, Dice, catalogue

GAMES = catalogue(Countdown(), Dice(), Broken("play"))


def rehearsed(which: str, game: str = "Countdown", players: int = 9, think_ms: int = 500, **changes):
    plan = preset(which, "Rehearsal", game, **{"pause_ms": 0} | changes)
    return rehearse(GAMES, plan, players, lambda: think_ms, random.Random(1), lambda row, now_ms: None)


@pytest.mark.parametrize("which", PRESETS)
def test_every_preset_comes_to_its_end(which: str) -> None:
    done = rehearsed(which, **{"arena": {"duration_ms": 30_000}, "teams": {"team_boards": 2}}.get(which, {}))
    assert done.row.is_over
    assert done.games >= 8
    assert done.at_once == (3 if which == "groups" else 4)  # three groups of three
    assert done.took_ms >= done.longest_game_ms > 0


def test_a_round_robin_takes_as_long_as_its_moves() -> None:
    done = rehearsed("hanze", players=8)
    assert done.games == 28
    one_by_one = rehearsed("hanze", players=8, matches_at_once_max=1)
    assert one_by_one.took_ms == one_by_one.moves * 500
    assert one_by_one.took_ms > 2 * done.took_ms
    assert rehearsed("hanze", players=8, think_ms=1000).took_ms == 2 * done.took_ms


def test_the_pauses_between_a_players_games_count() -> None:
    at_once = rehearsed("hanze", players=2, games=4)
    rested = rehearsed("hanze", players=2, games=4, pause_ms=2_000)
    assert (at_once.rested_ms, rested.rested_ms) == (0, 6_000)
    assert rested.took_ms == at_once.took_ms + 6_000


def test_the_same_seed_gives_the_same_course() -> None:
    one, again = rehearsed("swiss", "Dice"), rehearsed("swiss", "Dice")
    assert (one.row, one.took_ms, one.moves) == (again.row, again.took_ms, again.moves)


def test_tournament_that_cannot_begin_says_why() -> None:
    with pytest.raises(CommandFailed, match="gauntlet"):
        rehearsed("hanze", format="gauntlet", champions=("nobody",))
