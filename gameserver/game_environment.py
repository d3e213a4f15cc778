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

from gameserver.drawing import Anchor, Label, Picture
from gameserver.game import Coding, Game, Outcome, Seat, Series, State
from gameserver.web.templating import svg_of

_RENDER_MODES = ("ansi", "human", "svg")

Observation = dict[str, np.ndarray[Any, Any]]


def observed(coding: Coding[Any], state: State[Any], seat: Seat, moves: Mapping[int, Any]) -> Observation:
    """Makes an agent's observation of a game's position, with the mask of the actions that these moves have."""
    mask = np.zeros(coding.actions, np.int8)
    mask[list(moves)] = 1
    seen = np.asarray(coding.observation(state, seat), np.float32).reshape(coding.shape)
    return {"observation": seen, "action_mask": mask}


class GameEnvironment(AECEnv):  # type: ignore[misc] # PettingZoo has annotations, but not the marker for mypy
    """The environment of one game with its options. An observation of a match of several games ends with the score."""

    def __init__(self, game: Game[Any], options: Any, coding: Coding[Any], render_mode: str | None = None) -> None:
        super().__init__()
        if render_mode not in {None, *_RENDER_MODES}:
            raise ValueError(f"there is no render_mode {render_mode!r}; there is {', '.join(_RENDER_MODES)}")
        self.game, self.options, self.coding, self.render_mode = game, options, coding, render_mode
        self.metadata = {
            "name": f"{re.sub(r'[^a-z0-9]+', '_', game.name.lower()).strip('_')}_v{game.version}",
            "render_modes": list(_RENDER_MODES),
            "render_fps": 1,
            "is_parallelizable": False,
        }
        self.possible_agents = [f"seat_{seat}" for seat in range(game.seats)]
        self._action_spaces = {agent: spaces.Discrete(coding.actions) for agent in self.possible_agents}
        self._observation_spaces = {agent: self._new_space() for agent in self.possible_agents}
        self._chance = random.Random()  # noqa: S311 - dice of a training game; `reset` seeds them

    def _new_space(self) -> spaces.Dict:
        seen = spaces.Box(self.coding.low, self.coding.high, self.coding.shape, np.float32)
        if self.game.series(self.options) is not None:
            seats = self.game.seats
            low, high = np.append(seen.low, np.zeros(seats)), np.append(seen.high, np.full(seats, np.inf))
            seen = spaces.Box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)
        return spaces.Dict({"observation": seen, "action_mask": spaces.Box(0, 1, (self.coding.actions,), np.int8)})

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations of the game."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's actions in the game: the numbers of moves."""
        return self._action_spaces[agent]

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
        self._go_on(self.game.start(self.options) if self._series is None else _next_start(self._series))
        self._show()

    def _go_on(self, state: State[Any]) -> None:
        """Make the draws that are due, begin the next game of a match, and select the agent that is to act."""
        while state.outcome is None and (wanted := state.chance) is not None:
            state = state.drawn(tuple(self._chance.randint(1, wanted.sides) for _ in range(wanted.count)))
        self.position = state
        outcome = state.outcome
        if outcome is None:
            seat = min(state.turn.seats)
            self.agent_selection = self.possible_agents[seat]
            self._moves = self.coding.moves(state, seat)
            return
        if self._series is not None:
            self._series = self._series.after(outcome)
            if self._series.next_game is not None:
                self._go_on(_next_start(self._series))
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
        mover = self.possible_agents.index(self.agent_selection)
        self.agent_selection = self.possible_agents[(mover + 1) % len(self.possible_agents)]
        self._accumulate_rewards()

    def step(self, action: int | None) -> None:
        """Plays the move of the game that has this number; any other number loses."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        seat = self.possible_agents.index(agent)
        number = -1 if action is None else int(action)
        if number in self._moves:
            self._go_on(self.position.play(seat, self._moves[number]))
        else:
            others = tuple(other for other in range(self.game.seats) if other != seat)
            reason = f"{agent} lost by the illegal action {action!r}; action_mask has those that are legal"
            self._end(evolve(self.position.resigned(seat), winners=others), reason)
        self._show()

    def observe(self, agent: str) -> Observation:
        """Shows the game's position to an agent; the mask is empty for one that is not to act."""
        seat = self.possible_agents.index(agent)
        is_asked = agent == self.agent_selection
        seen = observed(self.coding, self.position, seat, self._moves if is_asked else {})
        if self._series is not None:
            points = self._series.outcome.points
            score = np.asarray((*points[seat:], *points[:seat]), np.float32)
            seen["observation"] = np.concatenate((seen["observation"].ravel(), score))
        return seen

    def render(self) -> str | None:
        """Shows spectators the game's position: "ansi" as text, "svg" as a drawing, "human" on the terminal."""
        if self.render_mode == "human":
            sys.stdout.write(f"{self.position.board(None)}\n\n")
        if self.render_mode == "svg":
            return drawn_alone(self.position)
        return self.position.board(None) if self.render_mode == "ansi" else None

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Closes nothing: a game in memory holds nothing open."""


def _next_start(series: Series) -> State[Any]:
    """The position that the next game of a match begins with."""
    found = series.next_game
    assert found is not None, "a match that goes on has a next game"
    game, options = found
    start: State[Any] = game.start(options)
    return start


_LINE_HEIGHT, _CHARACTER_WIDTH = 20, 9
"""Of the text of a board without a picture."""


def drawn_alone(state: State[Any]) -> str:
    """Draws a game's position as an SVG document with its own colours, of the board's text if there is no picture."""
    picture = state.picture(None)
    if picture is None:
        lines = state.board(None).splitlines()
        labels = [Label(8, 20 + _LINE_HEIGHT * row, line, anchor=Anchor.START) for row, line in enumerate(lines)]
        width = 16 + _CHARACTER_WIDTH * max(map(len, lines))
        picture = Picture(width, 24 + _LINE_HEIGHT * len(lines), tuple(labels), "the board as text")
    colours = files("gameserver.web").joinpath("static/board.css").read_text("utf-8")
    style = f"<style>{colours} text {{ white-space: pre; font-family: monospace }}</style>"
    root = f'<svg xmlns="http://www.w3.org/2000/svg" width="{picture.width:g}" height="{picture.height:g}" '
    element = svg_of(picture).removeprefix("<svg ").replace(">", f">{style}", 1)
    return root + element
