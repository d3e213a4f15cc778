"""The opening of a match: who is seated, who begins, and what that ends: searches and challenges."""

from collections.abc import Mapping
from typing import Any

from gameserver.core import referee, tables
from gameserver.core.chance import shuffled
from gameserver.core.commands import HOUSE_SESSION
from gameserver.core.events import OfferClosed
from gameserver.core.lobby import Draft, Player
from gameserver.core.match import NOBODYS_TURN, Match, Phase, SeatHolder
from gameserver.core.policies import Policies
from gameserver.core.rows import evolved
from gameserver.core.starting import begun, contest_of, next_of, waiting_clock
from gameserver.core.table import Guest
from gameserver.core.telling import tell_opened, tell_paired, tell_turn
from gameserver.core.ticket import Ticket
from gameserver.core.tournament import Scheduled
from gameserver.game import Game

NO_TICKETS: Mapping[str, Ticket] = {}


def open_match(
    draft: Draft,
    game: Game[object],
    names: tuple[str, ...],
    policies: Policies,
    *,
    options: Any = None,
    table: int | None = None,
    in_order: bool = False,
    tickets: Mapping[str, Ticket] = NO_TICKETS,
    scheduled: Scheduled | None = None,
    seed: str | None = None,
) -> int:
    """Seat these players, in a random order unless told otherwise, and begin. House players go by their names.

    `tickets` are those that led here, by player; `scheduled` and `seed` are a tournament's.

    Gives the match's number. Raises `GameFault` before anything is written.
    """
    server, now_ms = draft.server, draft.at.now_ms
    number = server.next_match
    policies = _rated_among_people(draft, policies, names)
    if options is None:
        options = game.options_type()
    holders = tuple(_holder(draft, name, policies, tickets.get(name)) for name in names)
    seats = holders if in_order else shuffled(holders, server.seed, "seats", number)
    contest = contest_of(game, options)
    first_game, first_options = (game, options) if contest is None else next_of(contest)
    match = Match(
        id=number,
        game=first_game,
        options=first_options,
        policies=policies,
        seed=server.seed if seed is None else seed,
        seats=seats,
        first=0,
        state=referee.start(first_game, first_options),
        turn=NOBODYS_TURN,
        clock=waiting_clock(policies, now_ms),
        turn_started_ms=now_ms,
        opened_ms=now_ms,
        opened_wall_ms=draft.at.wall_ms,
        phase=Phase.READYING,
        table=table,
        contest=contest,
        scheduled=scheduled,
    )
    prompts: tuple[str, ...] = ()
    if not match.awaited_seats:
        match, prompts = begun(match, now_ms)
    draft.server = evolved(server, next_match=number + 1)
    draft.matches[number] = match
    for name in names:
        _seat_player(draft, name, match)
    if match.phase is Phase.READYING:
        tell_paired(draft, match)
    else:
        tell_opened(draft, match)
        tell_turn(draft, match, prompts)
    return number


def _rated_among_people(draft: Draft, policies: Policies, names: tuple[str, ...]) -> Policies:
    """The terms, unrated unless two people play: the house's strength is its own, and in practice nobody tries."""
    is_between_two = len(names) == 2 and all(draft.players.get(name) is not None for name in names)
    return policies if is_between_two or not policies.rated else evolved(policies, rated=False)


def _holder(draft: Draft, name: str, policies: Policies, ticket: Ticket | None) -> SeatHolder:
    player = draft.players.get(name)
    if player is None:
        return SeatHolder(player=name, protocol="house", address="", session=HOUSE_SESSION)
    return SeatHolder(
        name,
        player.protocol,
        player.address,
        player.session,
        policies.drop_grace_ms,
        says_ready="ready" in player.carries,
        ticket="" if ticket is None else ticket.id,
        identity="" if ticket is None else ticket.identity,
        token="" if ticket is None else ticket.token,
        table=player.table if "tables" in player.carries else None,
        is_bound=ticket is not None and ticket.is_bound,
    )


def _seat_player(draft: Draft, name: str, match: Match) -> None:
    """Being seated ends a player's seek and own challenge; challenges received stay open.

    While the match waits for somebody to be ready, the others have not heard of it: they are to find
    themselves in their queue again if it does not begin. A match of a tournament was not what they
    looked for: they go on looking when the tournament is over.
    """
    player = draft.players.get(name)
    if player is None:
        return
    waits_unawares = match.phase is Phase.READYING and "ready" not in player.carries
    keeps_seek = waits_unawares or match.scheduled is not None
    player = close_challenge_of(draft, leave_queue(draft, player))
    draft.players[name] = evolved(player, match=match.id, seek=player.seek if keeps_seek else None)
    draft.seated[name] = match.id


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
    player = evolved(player, challenge=None)
    draft.players[player.name] = player
    return player
