"""The steps of a scenario, performed: a function for each, and a table of them at the end.

Those of matches are in `match_acts`. Steps here expect something of the client, have players sit in rooms, or change
what passes between the client and the server. The text protocol knows no rooms, so the lobby is asked directly, in the
name of the player's session.
"""

import math
from collections.abc import Callable, Mapping

import trio

from gameserver.check import match_acts, steps
from gameserver.check.director import (
    BACK_AGAIN_S,
    BACK_S,
    QUIET_S,
    Act,
    Director,
    NotPlayable,
    Patience,
    ScenarioFailed,
    SituationNotReached,
)
from gameserver.check.match_acts import MATCH_S, match_under_way, run_out
from gameserver.check.opponent import Opponent
from gameserver.check.report import Failure
from gameserver.check.scene import moves_in
from gameserver.check.server_under_check import real_s
from gameserver.check.steps import CLIENT
from gameserver.core.commands import Depart, Ready, Sit
from gameserver.core.events import EndReason
from gameserver.core.lobby import Player
from gameserver.core.match import MatchPhase
from gameserver.policies import LatePolicy
from gameserver.proxy.faults import Direction

_ANSWER_S = 5.0  # by judgement: half a turn of the text protocol
"""The time in which a client sends what is expected of it."""

_ROOM_S = 10.0  # by judgement: a client reads the list of rooms, and joins one

_BEGIN_S = 10.0
"""The time that the check's own server may take for anything."""
# BarryClient pauses for half a second before `start`, and a person who types in SimpleClient for a second.
_COMMAND_PAUSE_S = 1.5
"""Silence before time is let pass at once: some clients, and people, pause for a second between two commands."""
_RETURN_S = 10.0  # by judgement: clients that come back try once a second
"""The time in which a client comes back where it may as well stay away."""
_GAMES_MAX = 1_000  # more than any scenario has
"""The number of matches that a client is told it will have to play."""


async def _client_comes_back(director: Director, within_s: float = math.inf) -> None:
    """See that the client logs in again, and has its seat if it had one."""
    scene = director.scene

    def is_back() -> bool:
        player = scene.player
        if player is None or player.session == director.cut_session:
            return False
        match = scene.match
        return match is None or match.seats[match.seat_of(scene.client_name)].is_present

    patience = director.patience
    wait_s = min(within_s, patience.back_s)
    await director.until(is_back, wait_s, lambda: _is_not_back(patience, wait_s))
    director.note_return()
    await director.settle()


def _is_not_back(patience: Patience, waited_s: float) -> ScenarioFailed:
    """It is not waited for so long again."""
    what = f"It did not come back within {waited_s:g} s after its connection was lost"
    before = "" if patience.back_s == BACK_S else f", nor within {BACK_S:g} s in a scenario before"
    # It is waited for so long once in a whole check; else a client that never comes back would take half a minute each
    # time.
    if waited_s == patience.back_s:
        patience.back_s = BACK_AGAIN_S
    return ScenarioFailed(f"{what}{before}.", Failure.NOT_BACK)


async def _client_sends(director: Director, step: steps.ClientSends) -> None:
    """See that the client sends a line that matches, from the last step on that did something."""
    scene = director.scene

    def is_sent() -> bool:
        return any(step.pattern.search(line) for line in scene.wire.sent_from(director.mark))

    await director.until(
        is_sent,
        _ANSWER_S,
        lambda: ScenarioFailed(
            f"It was expected to send a line such as `{step.pattern.pattern}` within {_ANSWER_S:g} s, and sent "
            f"{_said(scene.wire.sent_from(director.mark))}."
        ),
    )


def _said(lines: list[str]) -> str:
    return f"`{lines[-1]}`" if lines else "nothing"


async def _client_sends_nothing(director: Director, step: steps.ClientSendsNothing) -> None:
    """See that the client is silent for a time, once it has said what it had to say."""
    await director.settle()
    scene, before = director.scene, len(director.scene.wire.lines)
    end_s = trio.current_time() + step.time_s
    while trio.current_time() < end_s:
        sent = scene.wire.sent_from(before)
        if sent:
            raise ScenarioFailed(f"It was expected to send nothing, and sent `{sent[0]}`.")
        director.watch()
        await scene.change()


async def _client_accepts(director: Director, _: steps.ClientAccepts) -> None:
    await director.until(
        lambda: director.scene.match is not None,
        _ANSWER_S,
        lambda: ScenarioFailed(f"It did not accept the challenge within {_ANSWER_S:g} s."),
    )


async def _client_does_not_move(director: Director, step: steps.ClientDoesNotMove) -> None:
    before = _clients_moves(director)
    end_s = trio.current_time() + step.time_s
    while trio.current_time() < end_s:
        director.watch()  # a move that is refused; other refusals are none, as clients ask for this and that meanwhile
        if _clients_moves(director) > before:
            raise ScenarioFailed("It made a move when it should have made none.", Failure.EARLY)
        await director.scene.change()


def _clients_moves(director: Director) -> int:
    match = director.scene.match
    return 0 if match is None else moves_in(match)


async def _sits_down(director: Director, step: steps.SitsDown) -> None:
    """Take a place in a free room, or opposite somebody who sits in one or is about to."""
    scene, opponent = director.scene, director.opponent(step.player)
    await _leave_own(director, opponent)
    if not step.beside:
        number = _free_room(director)
    else:
        other: Callable[[], Player | None] = (
            (lambda: scene.player)
            if step.beside == CLIENT
            else (lambda: scene.server.player(director.name_of(step.beside)))
        )
        await director.until(
            lambda: getattr(other(), "room", None) is not None,
            _ROOM_S,
            lambda: (
                ScenarioFailed(f"It did not sit down in a room within {_ROOM_S:g} s.", Failure.IDLE)
                if step.beside == CLIENT
                else SituationNotReached(f"{step.beside} sits in no room")
            ),
        )
        number = getattr(other(), "room", 0)
    player = _player(director, opponent)
    scene.server.ask(Sit(player.session, number))
    await director.until(
        lambda: _player(director, opponent).room == number,
        _ROOM_S,
        lambda: SituationNotReached(f"{opponent.name} did not get a place in room {number}"),
    )
    await director.settle()


async def _is_ready(director: Director, step: steps.Starts | steps.AsksForAnotherGame) -> None:
    """Be ready for a game in one's room, the first one there or another one."""
    opponent = director.opponent(step.player)
    player = _player(director, opponent)
    if player.room is None:
        raise SituationNotReached(f"{opponent.name} sits in no room any more")
    director.scene.server.ask(Ready(player.session))
    await director.settle()


async def _goes_to_lobby(director: Director, step: steps.GoesToLobby) -> None:
    await _leave_own(director, director.opponent(step.player))


async def _leave_own(director: Director, opponent: Opponent) -> None:
    player = _player(director, opponent)
    if player.room is None:
        return
    director.scene.server.ask(Depart(player.session))
    await director.until(
        lambda: _player(director, opponent).room is None,
        _ROOM_S,
        lambda: SituationNotReached(f"{opponent.name} could not leave its room"),
    )


def _player(director: Director, opponent: Opponent) -> Player:
    player = director.scene.server.player(opponent.name)
    if player is None:
        raise SituationNotReached(f"the check's own player {opponent.name!r} is not logged in")
    return player


def _free_room(director: Director) -> int:
    lobby = director.scene.server.lobby
    taken = {} if lobby is None else lobby.rooms
    return next(number for number in range(len(taken) + 1) if number not in taken or not taken[number].places)


async def _client_hears(director: Director, step: steps.ClientHears) -> None:
    if not director.scene.relay.inject_to_client(director.fill(step.text).encode()):
        raise SituationNotReached("the client has no connection on which lines or messages are spoken")
    await director.settle()


async def _client_is_heard_twice(director: Director, _: steps.ClientIsHeardTwice) -> None:
    director.scene.editor.is_heard_twice = True
    director.provoked += 1


async def _client_is_cut_off(director: Director, step: steps.ClientIsCutOff) -> None:
    director.note_cut()
    await director.scene.relay.cut(round(step.time_s * 1_000_000))
    await director.wait(step.time_s)


async def _wire_is(director: Director, step: steps.WireIs) -> None:
    directions = {"client": [Direction.TO_CLIENT], "server": [Direction.TO_SERVER]}.get(step.to, list(Direction))
    director.scene.set_faults(dict.fromkeys(directions, step.faults))


async def _line_is_late(director: Director, step: steps.LineIsLate) -> None:
    """Hold back the next line with a word, and all after it; steps go on meanwhile."""
    director.scene.editor.holds_back = step.word
    director.scene.nursery.start_soon(_let_go_later, director, step.time_s)


async def _let_go_later(director: Director, time_s: float) -> None:
    scene = director.scene
    while not scene.editor.held:
        await scene.change()
    await trio.sleep(time_s)
    for content in scene.editor.let_go():
        scene.relay.inject_to_client(content)


async def _clients_move_becomes(director: Director, step: steps.ClientsMoveBecomes) -> None:
    """Replace the client's next move. It is not to blame if that loses the match."""
    director.scene.editor.replacement = director.fill(step.text)
    director.provoked += 1
    director.excuse(EndReason.ILLEGAL)


async def _client_is_late(director: Director, _: steps.ClientIsLate) -> None:
    """Keep the client's next move back until its turn is over; the server gets it then."""
    scene, editor = director.scene, director.scene.editor
    match = await match_under_way(director)
    number, seat = match.id, match.seat_of(scene.client_name)
    if match.policies.late is LatePolicy.RANDOM_MOVE:
        director.replaced[number] = director.replaced.get(number, 0) + 1
    else:
        director.excuse(EndReason.LATE)
    director.provoked += 1
    editor.keeps_move = True
    scene.allow(match, moves_in(match) + (seat not in match.turn.seats))
    await director.until(
        lambda: bool(editor.kept) or scene.match is None,
        MATCH_S,
        lambda: SituationNotReached("the client made no move that could be held back"),
    )

    def is_over() -> bool:
        now = scene.match
        return now is None or now.id != number or (now.phase is MatchPhase.PLAYING and now.turn.seats != (seat,))

    await run_out(director, match, is_over)
    for content in editor.hand_over():
        scene.relay.inject_to_server(content)
    if not is_over():
        raise SituationNotReached("the turn of the client did not run out")
    await director.settle()


async def comes_in(director: Director, step: steps.ComesIn) -> None:
    """Performs the act of coming in: starts the client's program, or lets a player of the check log in."""
    scene = director.scene
    if step.who != CLIENT:
        name = director.fill(step.player_name)
        opponent = Opponent(name, scene.server, scene.chance, scene.changed)
        scene.opponents[step.who] = opponent
        await admitted(director, opponent)
        return
    scene.name = step.name or scene.name
    began_s = real_s()
    await trio.to_thread.run_sync(scene.client.start, scene.name, scene.place, _GAMES_MAX)
    scene.client_name = ""
    how_long = f"within {director.login_time_s:g} s"
    await director.until(
        lambda: scene.player is not None,
        director.login_time_s,
        lambda: ScenarioFailed(
            f"It did not log in {how_long}."
            if scene.wire.lines
            else f"It did not connect to {scene.place} {how_long}. Does it use the host and port that it is given?",
            Failure.NOT_IN,
        ),
    )
    player = scene.player
    assert player is not None, "it was there a moment ago"
    scene.client_name = player.name
    director.starting_s += real_s() - began_s
    await director.settle()


async def _others_come_in(director: Director, step: steps.OthersComeIn) -> None:
    scene = director.scene
    template = step.name or "other-{n}"
    for number in range(1, step.count + 1):
        name = template.replace("{n}", str(number))
        other = Opponent(name, scene.server, scene.chance, scene.changed)
        scene.others.append(other)
        await admitted(director, other)


async def admitted(director: Director, opponent: Opponent) -> None:
    """Lets a player of the check log in for a step, and waits until the server has it."""
    await opponent.connect(director.scene.nursery)
    await director.until(
        lambda: director.scene.server.player(opponent.name) is not None,
        _BEGIN_S,
        lambda: SituationNotReached(f"the check's own player {opponent.name!r} was not let in: {opponent.heard[-1:]}"),
    )


async def _leaves(director: Director, step: steps.Leaves) -> None:
    await director.opponent(step.player).leave()


async def _aims_at(director: Director, step: steps.AimsAt) -> None:
    director.opponent(step.player).aim = step.aim


async def _thinks(director: Director, step: steps.Thinks) -> None:
    director.opponent(step.player).think_s = step.time_s


async def _plays_as_soon_as_it_may(director: Director, step: steps.PlaysAsSoonAsItMay) -> None:
    director.opponent(step.player).wish = step.move


async def _challenges(director: Director, step: steps.Challenges) -> None:
    line = f'challenge "{director.scene.client_name}" "{director.game}"'
    await _answered(director, director.opponent(step.player), line)


async def _cancels(director: Director, step: steps.CancelsChallenge) -> None:
    """Take a challenge back. The protocol's only way is to challenge somebody else, or to look for an opponent."""
    opponent = director.opponent(step.player)
    await opponent.leave()
    await admitted(director, opponent)


async def _says(director: Director, step: steps.Says) -> None:
    await _answered(
        director, director.opponent(step.player), f'message "{director.scene.client_name}" {director.fill(step.text)}'
    )


async def _sends_raw(director: Director, step: steps.SendsRaw) -> None:
    await _answered(director, director.opponent(step.player), director.fill(step.line))


async def _answered(director: Director, opponent: Opponent, line: str) -> None:
    """Send a line, and wait for the answer."""
    before = len(opponent.heard)
    await opponent.send(line)
    await director.until(
        lambda: any(heard == "OK" or heard.startswith("ERR") for heard in opponent.heard[before:]),
        _BEGIN_S,
        lambda: SituationNotReached(f"the check's own server did not answer {line!r}"),
    )
    answer = next(heard for heard in opponent.heard[before:] if heard == "OK" or heard.startswith("ERR"))
    if answer != "OK":
        raise SituationNotReached(f"the server refused {line!r} of the check's own player: {answer}")


async def _drops(director: Director, step: steps.Drops) -> None:
    scene, opponent = director.scene, director.opponent(step.player)
    session = getattr(scene.server.player(opponent.name), "session", None)
    await opponent.reset()
    await director.until(
        lambda: getattr(scene.server.player(opponent.name), "session", None) != session,
        _BEGIN_S,
        lambda: SituationNotReached("the server did not notice that the check's own player was gone"),
    )


async def _comes_back(director: Director, step: steps.ComesBack) -> None:
    """Let a player log in again; or see that the client does."""
    if step.who == CLIENT:
        await _client_comes_back(director)
    else:
        await admitted(director, director.opponent(step.who))


async def _server_restarts(director: Director, step: steps.ServerRestarts) -> None:
    """Stop the server, and start it again on its journal. The players of the check come back at once."""
    scene = director.scene
    director.note_cut()
    await scene.server.stop()
    await director.wait(step.time_s)
    await scene.server.start()
    director.cut_session = 0
    for opponent in (*scene.opponents.values(), *scene.others):
        await admitted(director, opponent)


async def _client_goes_through_restart(director: Director, _: steps.ClientGoesThroughRestart) -> None:
    """Restart the server, and see that the client comes back. What it does then is judged only if it does."""
    try:
        await _server_restarts(director, steps.ServerRestarts())
        await _client_comes_back(director, _RETURN_S)
    except ScenarioFailed as failed:
        # A client that stays away after a restart loses nothing in an event, as the match is void. So its return is not
        # asked for here.
        if failed.kind is not Failure.NOT_BACK:
            raise
        why = "the client did not come back after a restart of the server, so what it would have moved is not known"
        raise NotPlayable(why) from failed


async def _time_passes(director: Director, step: steps.TimePasses) -> None:
    """Let time pass at once. A client that has to move would lose by that, and could not help it."""
    if director.scene.is_clients_turn:
        raise SituationNotReached("it is the client's turn, so that time cannot be let pass")
    # Without a wait for silence, which made 220 ms of a scenario's 30 ms: a client that clears its match 100 ms after
    # the end passed.
    if step.time_s < QUIET_S:
        await trio.sleep(step.time_s)
        director.watch()
        return
    await director.settle(_COMMAND_PAUSE_S)
    end_s = director.scene.clock.skipped_s + step.time_s
    while director.scene.clock.skipped_s < end_s:
        await director.scene.clock.skip(min(1.0, end_s - director.scene.clock.skipped_s))
        director.watch()
    await director.settle()


ACTS: Mapping[str, Act] = {
    "ComesIn": comes_in,
    "OthersComeIn": _others_come_in,
    "Leaves": _leaves,
    "Meets": match_acts.meets,
    "MatchIsCalled": match_acts.match_is_called,
    "SitsDown": _sits_down,
    "Starts": _is_ready,
    "GoesToLobby": _goes_to_lobby,
    "AsksForAnotherGame": _is_ready,
    "Challenges": _challenges,
    "CancelsChallenge": _cancels,
    "Says": _says,
    "SendsRaw": _sends_raw,
    "MovesArePlayed": match_acts.moves_are_played,
    "Moves": match_acts.moves,
    "MatchPlayedToEnd": match_acts.match_played_to_end,
    "AimsAt": _aims_at,
    "Thinks": _thinks,
    "PlaysAsSoonAsItMay": _plays_as_soon_as_it_may,
    "Resigns": match_acts.resigns,
    "Drops": _drops,
    "ComesBack": _comes_back,
    "IsLate": match_acts.is_late,
    "ClientHears": _client_hears,
    "LineIsLate": _line_is_late,
    "ClientsMoveBecomes": _clients_move_becomes,
    "ClientIsLate": _client_is_late,
    "ClientIsHeardTwice": _client_is_heard_twice,
    "ClientIsCutOff": _client_is_cut_off,
    "ServerRestarts": _server_restarts,
    "ClientGoesThroughRestart": _client_goes_through_restart,
    "TimePasses": _time_passes,
    "WireIs": _wire_is,
    "MatchesUntil": match_acts.matches_until,
    "ClientSends": _client_sends,
    "ClientSendsNothing": _client_sends_nothing,
    "ClientAccepts": _client_accepts,
    "ClientDoesNotMove": _client_does_not_move,
}
"""The function that performs each step, by the name of its class."""
