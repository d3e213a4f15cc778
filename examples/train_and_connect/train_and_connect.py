"""An agent that learns Tic-tac-toe by playing against itself, and then plays in a lobby.

It learns in a PettingZoo environment of the server's own rules, by Q-learning in a table: the worth of an action in a
position is the reward, or the negative of what the opponent's best answer is worth.

python3 train_and_connect.py --name ann --challenge house-novice [--host H] [--port P] [--matches K] [--secret S]
    [--episodes N] [--seed S]
"""

import argparse

import numpy as np

from gameserver.agent import Policy, play
from gameserver.environment import environment

GAME = "Tic-tac-toe"
EXPLORATION = 0.2
"""The share of actions that are chosen by chance while it learns."""


def learn(episodes: int, seed: int) -> Policy:
    """Play so many matches against itself, and return what it has learned."""
    env = environment(GAME)
    chance = np.random.default_rng(seed)
    # By what an observation shows, the own side first: what is learned at one seat serves at the other.
    worths: dict[bytes, np.ndarray] = {}

    def worth(observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        key = observation.tobytes()
        if key not in worths:
            # A board that is turned or mirrored is worth the same: all eight share one table, each by its own view.
            fresh = np.where(mask, 0.0, -np.inf).reshape(3, 3)
            for quarters in range(4):
                turned, actions = np.rot90(observation, quarters, (1, 2)), np.rot90(fresh, quarters)
                worths[turned.tobytes()] = actions
                worths[turned[:, :, ::-1].tobytes()] = actions[:, ::-1]
        return worths[key]

    for episode in range(episodes):
        careless = env.possible_agents[episode % 2]  # one side tries everything, and the other one learns to punish it
        env.reset()
        played = []
        while not all(env.terminations.values()):
            agent = env.agent_selection
            seen = env.observe(agent)
            actions = worth(seen["observation"], seen["action_mask"])
            explores = chance.random() < (1.0 if agent == careless else EXPLORATION)
            action = int(chance.choice(np.flatnonzero(seen["action_mask"])) if explores else actions.argmax())
            played.append((actions, action))
            env.step(action)
        target = env.rewards[agent]  # of the side that moved last
        for actions, action in reversed(played):
            actions.flat[action] = target  # exact, as nothing is left to chance here
            target = -actions.max()

    return lambda observation, mask: int(worth(observation, mask).argmax())


def main() -> None:
    """Read the command line, learn, and play."""
    parser = argparse.ArgumentParser(description=f"Learn {GAME}, and play it on a game server.")
    parser.add_argument("--name", required=True, help="the name to log in with")
    parser.add_argument("--secret", default="", help="your secret, where the teacher gave you one")
    parser.add_argument("--host", default="localhost", help="where the server runs (%(default)s)")
    parser.add_argument("--port", default=7789, type=int, help="its port for the text protocol (%(default)s)")
    parser.add_argument("--challenge", default="", metavar="OPPONENT", help="challenge this player; else wait")
    parser.add_argument("--matches", type=int, help="how many to play; without it, until you stop it")
    parser.add_argument("--episodes", default=5_000, type=int, help="matches to learn from (%(default)s)")
    parser.add_argument("--seed", default=1, type=int, help="learn the same again (%(default)s)")
    options = parser.parse_args()
    policy = learn(options.episodes, options.seed)
    print(f"learned from {options.episodes} matches", flush=True)
    try:
        results = play(
            policy,
            GAME,
            options.name,
            host=options.host,
            port=options.port,
            secret=options.secret,
            challenge=options.challenge,
            matches=options.matches,
        )
    except ConnectionError as problem:
        raise SystemExit(f"train_and_connect: {problem}") from None
    except KeyboardInterrupt:
        raise SystemExit("train_and_connect: stopped") from None
    print(f"won {results['win']}, lost {results['loss']}, drew {results['draw']}")


if __name__ == "__main__":
    main()
