"""Games as PettingZoo environments: PettingZoo's own tests pass, and what they do not ask holds too."""

import sys
from functools import partial
from importlib import import_module
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

from games.open_spiel.catalogue import CATALOGUE
from gameserver.environment import environment
from gameserver.game import Coding
from gameserver.game_environment import GameEnvironment
from tests.support.example_games import ROCK_PAPER_SCISSORS
from tests.support.own_plugins import OWN

OWN_NAMES = [game.name for game in OWN.games.values()]
SPIEL_NAMES = [row.name for row in CATALOGUE.values()]


class Choices(Coding[str]):
    """Rock, paper, scissors in numbers."""

    actions, shape = 3, (1,)

    def number(self, state, seat, move):
        return ("rock", "paper", "scissors").index(move)

    def observation(self, state, seat):
        return (state.played / state.rounds,)


def played(env, actions):
    """The environment after these actions."""
    env.reset(seed=1)
    for action in actions:
        env.step(action)
    return env


@pytest.fixture(name="config", scope="module")
def _config(tmp_path_factory):
    """A config that asks for OpenSpiel's games, for one that cannot be had, and for a game that has no coding."""
    path = tmp_path_factory.mktemp("config") / "gameserver.toml"
    path.write_text(
        'plugins = ["tests.support.example_games:ROCK_PAPER_SCISSORS"]\n[openspiel]\ngames = ["default", "yacht"]\n',
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize("name", [*OWN_NAMES, *SPIEL_NAMES])
# PettingZoo warns of what its own games do not do: of observations that are dicts unless it knows the name, and
# of the empty mask that an agent sees when the game is over.
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros")
def test_an_environment_passes_the_tests_of_pettingzoo(name, config, capsys):
    make = partial(environment, name, config=config if name in SPIEL_NAMES else None)
    api_test(make(), num_cycles=100)
    seed_test(make, num_cycles=50)
    render_test(make, {"svg": lambda text: ET.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"})


@pytest.mark.parametrize(
    ("actions", "reward", "reason", "asked_next"),
    [
        # The loser is asked first what it learns of the end.
        ((0, 3, 1, 4, 2), 1.0, "three in the top row", "seat_1"),
        ((0, 1, 2, 4, 3, 5, 7, 6, 8), 0.0, "the board is full", "seat_1"),
        ((4, 4), 1.0, "seat_1 lost by the illegal action 4;", "seat_0"),
    ],
)
def test_a_match_ends_with_rewards_and_the_reason(actions, reward, reason, asked_next):
    env = played(environment("tic-tac-toe"), actions)
    assert env.rewards == {"seat_0": reward, "seat_1": -reward}
    assert env.infos["seat_1"]["reason"].startswith(reason)
    assert env.infos["seat_1"]["points"] == -reward
    assert all(env.terminations.values())
    assert env.agent_selection == asked_next
    assert env.last()[1] == env.rewards[asked_next]


@pytest.mark.parametrize(
    ("name", "action", "cell", "own", "other"),
    [("Tic-tac-toe", 4, 4, 1, 0), ("Reversi", 19, 19, 4, 1), ("Connect-four-3D", 5, 20, 1, 0)],
)
def test_an_agent_sees_its_own_pieces_first(name, action, cell, own, other):
    env = played(environment(name), (action,))
    first, second = (env.observe(agent) for agent in ("seat_0", "seat_1"))
    cells = first["observation"][0].size
    assert first["observation"].reshape(3, -1).sum(1).tolist() == [own, other, 0]
    assert second["observation"].reshape(3, -1).sum(1).tolist() == [other, own, cells]
    assert first["observation"][0].flat[cell] == second["observation"][1].flat[cell] == 1
    assert not first["action_mask"].any()
    assert second["action_mask"].any()


@pytest.mark.parametrize(
    ("name", "more", "told"),
    [
        ("Reversi", {"options": {"size": 6}}, "Reversi refuses these options: "),
        ("Reversi", {"render_mode": "opera"}, "there is no render_mode 'opera'; there is ansi, human, svg"),
        ("Mastermind", {"options": {"code_length": 9}}, "Mastermind has no coding for these options; let its method"),
        ("Reversi", {"config": "not-there.toml"}, "not-there.toml: the file cannot be read"),
        ("Rock-paper-scissors", {}, "Rock-paper-scissors has no coding for these options; let its method `coding`"),
        ("Yacht", {}, r"there is no game 'Yacht'; there is Amazons, .*; \[openspiel\] yacht: a draw of it has 7,776 o"),
    ],
)
def test_what_cannot_be_made_is_refused_in_a_line(name, more, told, config):
    with pytest.raises(ValueError, match=f"^{told}") as refused:
        environment(name, **({"config": config} | more))
    assert "\n" not in str(refused.value)


def test_a_match_of_several_games_is_one_episode_with_the_score_in_sight():
    env = environment("Tavli")
    env.reset(seed=1)
    chance = np.random.default_rng(1)
    scores, rewards = [], []
    for agent in env.agent_iter():
        seen, reward, is_over, _, _ = env.last()
        assert seen in env.observation_space(agent)
        own, other = map(int, seen["observation"][-2:])
        scores.append((own, other) if agent == "seat_0" else (other, own))
        rewards.append(reward)
        env.step(None if is_over else chance.choice(np.flatnonzero(seen["action_mask"])))
    assert scores[0] == (0, 0)
    assert scores == sorted(scores)
    assert 3 <= len(set(scores)) <= 4, "three games, of which one may be drawn"
    assert not any(rewards[:-2])
    assert {abs(reward) for reward in rewards[-2:]} == {float(scores[-1][0] != scores[-1][1])}


def test_seats_that_act_at_once_are_asked_in_their_order():
    options = ROCK_PAPER_SCISSORS.options_type(rounds=1)
    env = GameEnvironment(ROCK_PAPER_SCISSORS, options, Choices())
    env.reset()
    assert env.agent_selection == "seat_0"
    assert not env.observe("seat_1")["action_mask"].any()
    env.step(0)
    assert env.agent_selection == "seat_1"
    env.step(1)
    assert env.rewards == {"seat_0": -1.0, "seat_1": 1.0}


def test_without_the_extra_a_line_says_what_to_install(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("pettingzoo")]:
        monkeypatch.setitem(sys.modules, name, None)
    for name in ("gameserver.environment", "gameserver.game_environment"):
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ImportError, match=r"^an environment needs PettingZoo: pip install 'gameserver\[pettingzoo\]'"):
        import_module("gameserver.environment").environment("Reversi")
