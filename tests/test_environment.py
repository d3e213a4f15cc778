"""Games as PettingZoo environments: PettingZoo's own tests pass, and what they do not ask holds too."""

import subprocess
import sys
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

from gameserver.environment import environment
from tests.support.own_plugins import OWN

CODED = [game.name for game in OWN.games.values() if game.coding(game.options_type()) is not None]


def played(env, actions):
    """The environment after these actions."""
    env.reset(seed=1)
    for action in actions:
        env.step(action)
    return env


@pytest.mark.parametrize("name", CODED)
# PettingZoo warns of what its own games do not do: of observations that are dicts unless it knows the name, and
# of the empty mask that an agent sees when the game is over.
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros")
def test_an_environment_passes_the_tests_of_pettingzoo(name, capsys):
    api_test(environment(name), num_cycles=100)
    seed_test(lambda: environment(name), num_cycles=50)
    render_test(
        lambda render_mode: environment(name, render_mode=render_mode),
        {"svg": lambda text: ET.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"},
    )


def test_winners_have_reward_1_and_all_learn_why():
    env = played(environment("tic-tac-toe"), (0, 3, 1, 4, 2))
    assert env.rewards == {"seat_0": 1.0, "seat_1": -1.0}
    assert env.infos["seat_1"] == {"reason": "three in the top row", "points": -1}
    assert all(env.terminations.values())


def test_a_draw_is_worth_nothing():
    assert played(environment("tic-tac-toe"), (0, 1, 2, 4, 3, 5, 7, 6, 8)).rewards == {"seat_0": 0.0, "seat_1": 0.0}


def test_an_illegal_action_loses_and_says_why():
    env = played(environment("Tic-tac-toe"), (4, 4))
    assert env.rewards == {"seat_0": 1.0, "seat_1": -1.0}
    assert env.infos["seat_1"]["reason"].startswith("seat_1 lost by the illegal action 4;")


def test_an_agent_sees_its_own_pieces_first():
    env = played(environment("Tic-tac-toe"), (4,))
    first, second = (env.observe(agent) for agent in ("seat_0", "seat_1"))
    assert first["observation"][:, 1, 1].tolist() == [1, 0, 0]
    assert second["observation"][:, 1, 1].tolist() == [0, 1, 1]
    assert not first["action_mask"].any()
    assert np.flatnonzero(second["action_mask"]).tolist() == [0, 1, 2, 3, 5, 6, 7, 8]


@pytest.mark.parametrize(
    ("name", "more", "told"),
    [
        ("Othelo", {}, "there is no game 'Othelo'; did you mean Reversi?"),
        ("Reversi", {"options": {"size": 6}}, "Reversi refuses these options: "),
        ("Reversi", {"render_mode": "opera"}, "there is no render_mode 'opera'; there is ansi, human, svg"),
        ("Reversi", {"config": "not-there.toml"}, "not-there.toml: the file cannot be read"),
    ],
)
def test_what_cannot_be_made_is_refused_in_a_line(name, more, told):
    with pytest.raises(ValueError, match="^" + told.replace("?", r"\?")) as refused:
        environment(name, **more)
    assert "\n" not in str(refused.value)


def test_without_the_extra_a_line_says_what_to_install():
    hidden = "import sys; sys.modules['pettingzoo'] = None; from gameserver.environment import environment as make"
    told = subprocess.run(
        [sys.executable, "-c", f"{hidden}; make('Reversi')"], capture_output=True, text=True, check=False
    )
    assert "an environment needs PettingZoo: pip install 'gameserver[pettingzoo]'" in told.stderr.splitlines()[-1]
