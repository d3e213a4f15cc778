"""Performs the steps in which players sit in rooms.

The text protocol knows no rooms, so the lobby is asked directly, in the name of the player's session.
"""

from collections.abc import Callable

from gameserver.check import steps
from gameserver.check.director import Director, NotReached, ScenarioFailed
from gameserver.check.opponent import Opponent
from gameserver.check.report import Failure
from gameserver.check.steps import CLIENT
from gameserver.core.commands import Depart, Ready, Sit
from gameserver.core.lobby import Player

ROOM_S = 10.0


async def sits_down(director: Director, step: steps.SitsDown) -> None:
    """Take a place in a free room, or opposite somebody who sits in one or is about to."""
    stage, opponent = director.stage, director.opponent(step.player)
    await _leave_own(director, opponent)
    if not step.beside:
        number = _free_room(director)
    else:
        other: Callable[[], Player | None] = (
            (lambda: stage.player)
            if step.beside == CLIENT
            else (lambda: stage.server.player(director.name_of(step.beside)))
        )
        await director.until(
            lambda: getattr(other(), "room", None) is not None,
            ROOM_S,
            lambda: (
                ScenarioFailed(f"It did not sit down in a room within {ROOM_S:g} s.", Failure.IDLE)
                if step.beside == CLIENT
                else NotReached(f"{step.beside} sits in no room")
            ),
        )
        number = getattr(other(), "room", 0)
    player = _player(director, opponent)
    stage.server.ask(Sit(player.session, number))
    await director.until(
        lambda: _player(director, opponent).room == number,
        ROOM_S,
        lambda: NotReached(f"{opponent.name} did not get a place in room {number}"),
    )
    await director.settle()


async def starts(director: Director, step: steps.Starts) -> None:
    """Be ready for the game in one's room."""
    await _be_ready(director, director.opponent(step.player))


async def asks_for_another_game(director: Director, step: steps.AsksForAnotherGame) -> None:
    """Be ready for another game in the same room."""
    await _be_ready(director, director.opponent(step.player))


async def goes_to_lobby(director: Director, step: steps.GoesToLobby) -> None:
    """Leave one's room."""
    await _leave_own(director, director.opponent(step.player))


async def _be_ready(director: Director, opponent: Opponent) -> None:
    player = _player(director, opponent)
    if player.room is None:
        raise NotReached(f"{opponent.name} sits in no room any more")
    director.stage.server.ask(Ready(player.session))
    await director.settle()


async def _leave_own(director: Director, opponent: Opponent) -> None:
    player = _player(director, opponent)
    if player.room is None:
        return
    director.stage.server.ask(Depart(player.session))
    await director.until(
        lambda: _player(director, opponent).room is None,
        ROOM_S,
        lambda: NotReached(f"{opponent.name} could not leave its room"),
    )


def _player(director: Director, opponent: Opponent) -> Player:
    player = director.stage.server.player(opponent.name)
    if player is None:
        raise NotReached(f"the check's own player {opponent.name!r} is not logged in")
    return player


def _free_room(director: Director) -> int:
    lobby = director.stage.server.lobby
    taken = {} if lobby is None else lobby.rooms
    return next(number for number in range(len(taken) + 1) if number not in taken or not taken[number].places)
