"""A game as an `AECEnv` of PettingZoo: agents act one after the other, chance and the course of a match are ours.

Several seats that are to act at once are asked in the order of seats, and none is shown what another one chose. An
illegal action loses, as a server's text players lose by an illegal move. The winners of a match have the reward 1, the
others -1, and all have 0 for a draw; points are in the infos. A match of several games is one episode.

It imports PettingZoo and numpy: `gameserver.environment` imports it where an environment is made.
"""

import random
import re
import sys
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import numpy as np
from attrs import evolve
from gymnasium import spaces
from pettingzoo import AECEnv

from gameserver.game import Coding, Game, Outcome, Seat, State, after_draws
from gameserver.web.templating import svg_of

_RENDER_MODES = ("ansi", "human", "svg")

Observation = dict[str, np.ndarray[Any, Any]]


class GameEnvironment(AECEnv):  # type: ignore[misc] # PettingZoo has annotations, but not the marker for mypy
    """The environment of one game with its options. An observation of a match of several games ends with the score."""

    def __init__(self, game: Game[Any], options: Any, coding: Coding[Any], render_mode: str | None = None) -> None:
        super().__init__()
        if render_mode not in {None, *_RENDER_MODES}:
            raise ValueError(f"there is no render_mode {render_mode!r}; there is {', '.join(_RENDER_MODES)}")
        self.game, self.options, self.coding, self.render_mode = game, options, coding, render_mode
        name = re.sub(r"\W+", "_", game.name.lower())
        self.metadata = {"name": f"{name}_v{game.version}", "render_modes": list(_RENDER_MODES), "render_fps": 1}
        self.possible_agents = [f"seat_{seat}" for seat in range(game.seats)]
        seen = spaces.Box(coding.low, coding.high, coding.shape, np.float32)
        if game.series(options) is not None:
            score = np.zeros(game.seats, np.float32)
            seen = spaces.Box(np.append(seen.low, score), np.append(seen.high, score + np.inf), dtype=np.float32)
        mask = spaces.Box(0, 1, (coding.actions,), np.int8)
        self._observation_space = spaces.Dict({"observation": seen, "action_mask": mask})
        self._action_space = spaces.Discrete(coding.actions)
        self._chance = random.Random()  # noqa: S311 - dice of a training game; `reset` seeds them

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of every agent's observations of the game."""
        return self._observation_space

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of every agent's actions in the game: the numbers of moves."""
        return self._action_space

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a match of the game. The same seed gives the same dice; without one they go on."""
        if seed is not None:
            self._chance.seed(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None  # of PettingZoo: whose turn it is once agents that are through have left
        self._series = self.game.series(self.options)
        game, options = (self._series and self._series.next_game) or (self.game, self.options)
        self._go_on(game.start(options))
        if self.render_mode == "human":
            self.render()

    def _go_on(self, state: State[Any]) -> None:
        """Make the draws that are due, begin the next game of a match, and select the agent that is to act."""
        self.position = state = after_draws(state, self._chance.randint)
        outcome = state.outcome
        if outcome is None:
            seat = min(state.turn.seats)
            self.agent_selection = self.possible_agents[seat]
            self._moves = self.coding.moves(state, seat)
            return
        if self._series is not None:
            self._series = self._series.after(outcome)
            if self._series.next_game is not None:
                game, options = self._series.next_game
                self._go_on(game.start(options))
                return
            outcome = self._series.outcome
        self._end(outcome, outcome.reason or state.ending)

    def _end(self, outcome: Outcome, reason: str) -> None:
        self._moves = {}
        for seat, agent in enumerate(self.possible_agents):
            won = 1.0 if seat in outcome.winners else -1.0
            self.rewards[agent] = won if outcome.winners else 0.0
            self.terminations[agent] = True
            self.infos[agent] = {"reason": reason, "points": outcome.points[seat]}
        # As in PettingZoo's own games: `last()` after the last move is for the next agent, which has not learned yet
        # that it lost.
        self.agent_selection = self.possible_agents[1 - self.possible_agents.index(self.agent_selection)]
        self._accumulate_rewards()

    def step(self, action: int | None) -> None:
        """Plays the move of the game that has this number; any other number loses."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        seat = self.possible_agents.index(agent)
        number = -1 if action is None else int(action)  # of a tensor as well
        if number in self._moves:
            self._go_on(self.position.play(seat, self._moves[number]))
        else:
            reason = f"{agent} lost by the illegal action {action!r}; action_mask has those that are legal"
            self._end(evolve(self.position.resigned(seat), winners=(1 - seat,)), reason)
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """Shows the game's position to an agent; the mask is empty for one that is not to act."""
        seat = self.possible_agents.index(agent)
        seen = self.observed(self.position, seat, self._moves if agent == self.agent_selection else {})
        if self._series is not None:
            points = self._series.outcome.points
            score = np.asarray((*points[seat:], *points[:seat]), np.float32)
            seen["observation"] = np.append(seen["observation"], score)
        return seen

    def observed(self, state: State[Any], seat: Seat, moves: Mapping[int, Any]) -> Observation:
        """Makes an agent's observation of any position of the game, with the mask of these moves."""
        mask = np.zeros(self.coding.actions, np.int8)
        mask[list(moves)] = 1
        seen = np.asarray(self.coding.observation(state, seat), np.float32).reshape(self.coding.shape)
        return {"observation": seen, "action_mask": mask}

    def render(self) -> str | None:
        """Shows spectators the game's position: "ansi" as text, "svg" as a drawing, "human" on the terminal."""
        if self.render_mode == "human":
            sys.stdout.write(f"{self.position.board(None)}\n\n")
        if self.render_mode == "svg":
            return drawn_alone(self.position)
        return self.position.board(None) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Closes nothing: a game in memory holds nothing open."""


def drawn_alone(state: State[Any]) -> str:
    """Draws a game's position as an SVG document with its own colours; raises `ValueError` if it has no picture."""
    picture = state.picture(None)
    if picture is None:
        raise ValueError("this game has no picture; take the render_mode ansi")
    colours = files("gameserver.web").joinpath("static/board.css").read_text("utf-8")
    root = f'<svg xmlns="http://www.w3.org/2000/svg" width="{picture.width:g}" height="{picture.height:g}" '
    return root + svg_of(picture).removeprefix("<svg ").replace(">", f"><style>{colours}</style>", 1)
