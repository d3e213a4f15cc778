"""Performs the steps that expect something of the client."""

import math

import trio

from gameserver.check import steps
from gameserver.check.director import BACK_AGAIN_S, BACK_S, Director, Patience, ScenarioFailed
from gameserver.check.report import Failure
from gameserver.check.stage import moves_in

ANSWER_S = 5.0
"""The time in which a client sends what is expected of it."""


async def client_comes_back(director: Director, within_s: float = math.inf) -> None:
    """See that the client logs in again, and has its seat if it had one."""
    stage = director.stage

    def is_back() -> bool:
        player = stage.player
        if player is None or player.session == director.cut_session:
            return False
        match = stage.match
        return match is None or match.seats[match.seat_of(stage.client_name)].is_present

    patience = director.patience
    wait_s = min(within_s, patience.back_s)
    await director.until(is_back, wait_s, lambda: _is_not_back(patience, wait_s))
    director.note_return()
    await director.settle()


def _is_not_back(patience: Patience, waited_s: float) -> ScenarioFailed:
    """It is not waited for so long again."""
    what = f"It did not come back within {waited_s:g} s after its connection was lost"
    before = "" if patience.back_s == BACK_S else f", nor within {BACK_S:g} s in a scenario before"
    if waited_s == patience.back_s:
        patience.back_s = BACK_AGAIN_S
    return ScenarioFailed(f"{what}{before}.", Failure.NOT_BACK)


async def client_sends(director: Director, step: steps.ClientSends) -> None:
    """See that the client sends a line that matches, from the last step on that did something."""
    stage = director.stage

    def is_sent() -> bool:
        return any(step.pattern.search(line) for line in stage.wire.sent_from(director.mark))

    await director.until(
        is_sent,
        ANSWER_S,
        lambda: ScenarioFailed(
            f"It was expected to send a line such as `{step.pattern.pattern}` within {ANSWER_S:g} s, and sent "
            f"{_said(stage.wire.sent_from(director.mark))}."
        ),
    )


def _said(lines: list[str]) -> str:
    return f"`{lines[-1]}`" if lines else "nothing"


async def client_sends_nothing(director: Director, step: steps.ClientSendsNothing) -> None:
    """See that the client is silent for a time, once it has said what it had to say."""
    await director.settle()
    stage, before = director.stage, len(director.stage.wire.lines)
    end_s = trio.current_time() + step.time_s
    while trio.current_time() < end_s:
        sent = stage.wire.sent_from(before)
        if sent:
            raise ScenarioFailed(f"It was expected to send nothing, and sent `{sent[0]}`.")
        director.look()
        await stage.change()


async def client_accepts(director: Director, _: steps.ClientAccepts) -> None:
    """See that the client takes a challenge up, so that a match begins."""
    await director.until(
        lambda: director.stage.match is not None,
        ANSWER_S,
        lambda: ScenarioFailed(f"It did not accept the challenge within {ANSWER_S:g} s."),
    )


async def client_does_not_move(director: Director, step: steps.ClientDoesNotMove) -> None:
    """See that the client makes no move for a time."""
    before = _clients_moves(director)
    end_s = trio.current_time() + step.time_s
    while trio.current_time() < end_s:
        director.look()  # a move that is refused; other refusals are none, as clients ask for this and that meanwhile
        if _clients_moves(director) > before:
            raise ScenarioFailed("It made a move when it should have made none.", Failure.EARLY)
        await director.stage.change()


def _clients_moves(director: Director) -> int:
    match = director.stage.match
    return 0 if match is None else moves_in(match)
