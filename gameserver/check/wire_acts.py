"""Performs the steps that change what passes between the client and the server."""

import trio

from gameserver.check import steps
from gameserver.check.director import Director, NotReached
from gameserver.check.match_acts import MATCH_S, match_under_way
from gameserver.check.skipping_clock import STEP_S
from gameserver.check.stage import moves_in
from gameserver.core.events import EndReason
from gameserver.core.match import MatchPhase
from gameserver.policies import LatePolicy
from gameserver.proxy.faults import Direction


async def client_hears(director: Director, step: steps.ClientHears) -> None:
    """Put a line between those of the server."""
    if not director.stage.relay.inject_to_client(director.fill(step.text).encode()):
        raise NotReached("the client has no connection on which lines or messages are spoken")
    await director.settle()


async def client_is_heard_twice(director: Director, _: steps.ClientIsHeardTwice) -> None:
    """Double the client's next move."""
    director.stage.editor.is_heard_twice = True
    director.provoked += 1


async def client_is_cut_off(director: Director, step: steps.ClientIsCutOff) -> None:
    """Reset the client's connection."""
    director.note_cut()
    await director.stage.relay.cut(round(step.time_s * 1_000_000))
    await director.wait(step.time_s)


async def wire_is(director: Director, step: steps.WireIs) -> None:
    """Change what the network does."""
    directions = {"client": [Direction.TO_CLIENT], "server": [Direction.TO_SERVER]}.get(step.to, list(Direction))
    director.stage.set_faults(dict.fromkeys(directions, step.faults))


async def line_is_late(director: Director, step: steps.LineIsLate) -> None:
    """Hold back the next line with a word, and all after it; steps go on meanwhile."""
    director.stage.editor.holds_back = step.word
    director.stage.nursery.start_soon(_let_go_later, director, step.time_s)


async def _let_go_later(director: Director, time_s: float) -> None:
    stage = director.stage
    while not stage.editor.held:
        await stage.change()
    await trio.sleep(time_s)
    for content in stage.editor.let_go():
        stage.relay.inject_to_client(content)


async def clients_move_becomes(director: Director, step: steps.ClientsMoveBecomes) -> None:
    """Replace the client's next move. It is not to blame if that loses the match."""
    director.stage.editor.replacement = director.fill(step.text)
    director.provoked += 1
    director.excuse(EndReason.ILLEGAL)


async def client_is_late(director: Director, _: steps.ClientIsLate) -> None:
    """Keep the client's next move back until its turn is over; the server gets it then."""
    stage, editor = director.stage, director.stage.editor
    match = await match_under_way(director)
    number, seat = match.id, match.seat_of(stage.client_name)
    if match.policies.late is LatePolicy.RANDOM_MOVE:
        director.replaced[number] = director.replaced.get(number, 0) + 1
    else:
        director.excuse(EndReason.LATE)
    director.provoked += 1
    editor.keeps_move = True
    stage.allow(match, moves_in(match) + (seat not in match.turn.seats))
    await director.until(
        lambda: bool(editor.kept) or stage.match is None,
        MATCH_S,
        lambda: NotReached("the client made no move that could be held back"),
    )

    def is_over() -> bool:
        now = stage.match
        return now is None or now.id != number or (now.phase is MatchPhase.PLAYING and now.turn.seats != (seat,))

    skipped_to_s = stage.clock.skipped_s + 2 * (match.policies.turn_time_ms or 0) / 1000 + 5
    while not is_over() and stage.clock.skipped_s < skipped_to_s:
        await stage.clock.skip(STEP_S)
        director.look()
    for content in editor.hand_over():
        stage.relay.inject_to_server(content)
    if not is_over():
        raise NotReached("the turn of the client did not run out")
    await director.settle()
