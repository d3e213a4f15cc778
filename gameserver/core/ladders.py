"""The ladders of the lobby: who waits on them, and the matches that their director pairs.

A ladder is a row for each game whose ladder is open. It reserves nobody, and whoever searches meets a person as ever:

    waits                                 meets at once                       left to the ladder
    a program in the queue                a person who seeks, a host who      if nobody of these is there
                                          started, a ticket that is open
                                          to the queue
    a person in the queue (a browser,     anybody in the queue                never
    or a wish for the time of a turn)
    a host who started alone in a room    the first in the queue              if the queue is empty
    a ticket that is open to the queue    another ticket, else the first      if nobody of these is there
                                          in the queue
    a challenge, a rated ticket           as ever                             never

The pairings come in as commands, worked out beside the lobby, as those of tournaments do. While an event of the same
game is on nobody is paired: the ladder waits, and so do the programs in its queue.
"""

from collections.abc import Callable
from typing import Any

import attrs

from gameserver.core import lobby, matchmaker, places
from gameserver.core.commands import KeepRanking, PairOnLadder, SetLadder
from gameserver.core.draft import Draft, SeekResumed
from gameserver.core.events import Accepted, Answer, Code, Rejected, SeatsBy
from gameserver.core.lobby import At, LadderRow, Lobby, TournamentRow
from gameserver.core.referee import GameBug
from gameserver.core.ticket_search import waiting_ticket


def set_ladder(draft: Draft, command: SetLadder) -> Answer:
    """Carries out `SetLadder`: opens or closes the ladder of a game."""
    game = draft.game_named(command.game)
    if game is None:
        known = ", ".join(sorted(one.name for one in draft.games.values()))
        return _refused(f"there is no game {command.game!r}; there is {known}")
    name, is_open = game.name, draft.ladders.get(game.name) is not None
    if is_open is command.is_open:
        does, other = ("is open already", "close") if is_open else ("is not open", "open")
        return _refused(f"the ladder of {name} {does}; `gameserver ladder {other} {name}` would {other} it")
    event = _event_at(draft, name)
    if command.is_open and event is not None:
        return _refused(f"the tournament {event.name!r} is on at {name}; open the ladder when it is over")
    if command.is_open:
        draft.ladders[name] = LadderRow(name, draft.at.wall_ms)
        draft.wake.append(name)
        return Accepted()
    del draft.ladders[name]
    for waiting in draft.queues.get(name) or ():
        draft.follow_ups.add(SeekResumed(waiting, ("ladders", 0)))
    return Accepted()


def _event_at(draft: Draft, game: str) -> TournamentRow | None:
    return next((row for row in draft.tournaments.values() if row.is_event_at(game)), None)


def _refused(why: str) -> Rejected:
    return Rejected(Code.LADDER_REFUSED, {"why": why})


def pair(draft: Draft, command: PairOnLadder) -> Answer:
    """Carries out `PairOnLadder`: begins the match if both still wait, or one of them and a house player."""
    game, names = draft.game_named(command.game), (command.first, command.second)
    if game is None or draft.server.drains or names[0] == names[1]:
        return Rejected(Code.STALE)
    free = _waiting(draft, game.name)
    house = [one.name for one in draft.server.house if game.name in one.games]
    if not any(name in free for name in names) or not all(name in free or name in house for name in names):
        return Rejected(Code.STALE)
    try:
        matchmaker.open_where_they_wait(draft, game, names, seats_by=SeatsBy.LADDER)
    except GameBug as fault:
        draft.faults.append(fault.why)
    return Accepted()


def keep_ranking(draft: Draft, command: KeepRanking) -> Answer:
    """Carries out `KeepRanking`: the ranking of a ladder goes on record, if it has not for this night."""
    row = draft.ladders.get(command.game)
    if row is None or row.night >= command.night:
        return Rejected(Code.STALE)
    draft.ladders[row.game] = attrs.evolve(row, night=command.night)
    return Accepted()


def resume_after_restart(draft: Draft) -> None:
    """Has every ladder looked at after a restart."""
    draft.wake += [row.game for row in draft.ladders.values()]


def to_pair(lobby: Lobby, game: str) -> tuple[LadderRow, list[str]] | None:
    """An open ladder, and the players who wait on it, for its director; None if there is none."""
    row = lobby.ladders.get(game)
    return None if row is None else (row, _waiting(Draft(lobby, At(0, 0)), game))


def _waiting(draft: Draft, game: str) -> list[str]:
    """The players whom the ladder of a game may pair now."""
    if draft.ladders.get(game) is None or _event_at(draft, game) is not None:
        return []
    found = matchmaker.left_to_ladder(draft, game)
    rooms_game = places.game_of_rooms(draft)
    if rooms_game is not None and rooms_game.name == game:
        waiting = (room for room in draft.rooms.values() if places.is_lone_and_ready(draft, room))
        found += [room.places[0].player for room in waiting]
    for ticket in draft.tickets.values():
        player = draft.players.get(ticket.player)
        if player is not None and player.match is None and waiting_ticket(draft, player, game) is ticket:
            found.append(player.name)
    return [name for name in found if not lobby.is_reserved(draft, name)]


DECIDERS: dict[type, Callable[[Draft, Any], Answer]] = {
    SetLadder: set_ladder,
    PairOnLadder: pair,
    KeepRanking: keep_ranking,
}
