"""The opening of a match: who is seated, who begins, and what that ends: searches and challenges."""

from typing import Any

import attrs

from gameserver.core import referee, tables
from gameserver.core.chance import shuffled
from gameserver.core.commands import HOUSE_SESSION
from gameserver.core.events import OfferClosed
from gameserver.core.lobby import Draft, Player
from gameserver.core.match import Clock, Match, SeatHolder
from gameserver.core.playing import restarted_clock
from gameserver.core.policies import (
    Policies,
)
from gameserver.core.table import Guest
from gameserver.core.telling import tell_opened, tell_turn
from gameserver.game import Game


def open_match(
    draft: Draft,
    game: Game[object],
    names: tuple[str, ...],
    policies: Policies,
    *,
    options: Any = None,
    table: int | None = None,
    in_order: bool = False,
) -> int:
    """Seat these players, in a random order unless told otherwise, and begin. House players go by their names.

    Gives the match's number. Raises `GameFault` before anything is written.
    """
    server, now_ms = draft.server, draft.at.now_ms
    number = server.next_match
    seed = server.seed
    if options is None:
        options = game.options_type()
    played = referee.open_position(game, options, seed, number, now_ms)
    holders = tuple(_holder(draft, name, policies) for name in names)
    seats = holders if in_order else shuffled(holders, seed, "seats", number)
    turn = played.position.turn
    match = Match(
        id=number,
        game=game,
        options=options,
        policies=policies,
        seed=seed,
        seats=seats,
        first=turn.seats[0],
        state=played.position.state,
        turn=turn,
        clock=Clock(),
        turn_started_ms=now_ms,
        opened_ms=now_ms,
        opened_wall_ms=draft.at.wall_ms,
        moves=played.steps,
        draws=played.draws,
        table=table,
    )
    match = attrs.evolve(match, clock=restarted_clock(match, turn, now_ms))
    prompts = referee.prompts(match)
    draft.server = attrs.evolve(server, next_match=number + 1)
    draft.matches[number] = match
    for name in names:
        _seat_player(draft, name, number)
    tell_opened(draft, match)
    tell_turn(draft, match, prompts)
    return number


def _holder(draft: Draft, name: str, policies: Policies) -> SeatHolder:
    player = draft.players.get(name)
    if player is None:
        return SeatHolder(player=name, protocol="house", address="", session=HOUSE_SESSION)
    return SeatHolder(name, player.protocol, player.address, player.session, policies.drop_grace_ms)


def _seat_player(draft: Draft, name: str, match: int) -> None:
    """Being seated ends a player's seek and own challenge; challenges received stay open."""
    player = draft.players.get(name)
    if player is None:
        return
    player = close_challenge_of(draft, leave_queue(draft, player))
    draft.players[name] = attrs.evolve(player, match=match, seek=None)
    draft.seated[name] = match


def leave_queue(draft: Draft, player: Player) -> Player:
    """Take a player out of the queue they wait in, if any, and from the table where they are shown meanwhile."""
    if player.seek is None:
        return player
    waiting = draft.queues.get(player.seek) or ()
    if player.name in waiting:
        rest = tuple(name for name in waiting if name != player.name)
        draft.queues[player.seek] = rest or None
    return tables.take_guests_place(draft, player, Guest.SEEKING)


def close_challenge_of(draft: Draft, player: Player) -> Player:
    """Take back the challenge that this player has made, and tell its receiver."""
    player = tables.take_guests_place(draft, player, Guest.CHALLENGING)
    if player.challenge is None:
        return player
    offer = draft.challenges[player.challenge]
    target = draft.players.get(offer.to)
    if target is not None:
        draft.tell(target.session, OfferClosed(offer.number))
    del draft.challenges[offer.number]
    player = attrs.evolve(player, challenge=None)
    draft.players[player.name] = player
    return player
