"""Pairs players, in whichever way the two look for an opponent, and opens their match.

This is the one module that knows all ways:

    player looking                          opponent, the first that there is
    a seeker                                another seeker; a ticket that is open to the queue
    a ticket whose player is here           its partner; a ticket whose player is here; the house, or a seeker
    a host, alone and ready in a room       a seeker of the rooms' game
    a challenger of a player in a room      that player, who accepts by being ready

Where the ladder of a game is open, two programs in the game's queue do not meet at once: its director pairs them later
(`ladders`). Whoever wishes a time for a turn or plays in a browser meets anybody who waits, as ever.

A player who finds no opponent waits: a seeker in the queue and in the lowest free room, where a host can find them; a
ticket among the tickets; a host in the room. Players whom a tournament reserves are paired only by the tournament.

To open a match is to seat the players, decide who begins, and end their searches and challenges.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any

from attrs import evolve

from gameserver.chance import Contributions, drawn_lots, in_drawn_order
from gameserver.core import late_answers, lobby, places, referee
from gameserver.core.broadcast import tell_opened, tell_paired, tell_turn
from gameserver.core.clocks import NO_CLOCK, Bank
from gameserver.core.commands import HOUSE_SESSION, Against, Capability
from gameserver.core.draft import Draft, RoomChanged, SeekResumed
from gameserver.core.events import ChallengeClosed, Code, Rejected, SeatsBy
from gameserver.core.lobby import Player, Room, RoomGuest, RoomPhase, Ticket
from gameserver.core.match import NOBODYS_TURN, GameSeries, Match, MatchChance, MatchPhase, Scheduled, SeatHolder
from gameserver.core.match_course import begun, contest_of, next_of, waiting_clock
from gameserver.core.places import leave_queue
from gameserver.core.referee import GameBug
from gameserver.core.ticket_search import (
    dissolve,
    is_kept,
    may_leave,
    opponent_at_hand,
    options_of_match,
    pair,
    present_opponent,
    search,
    search_anew,
    ticket_shown,
    waiting_ticket,
)
from gameserver.game import Game
from gameserver.policies import (
    TURN_TIME_MAX_MS,
    TURN_TIME_MIN_MS,
    Policies,
    Rules,
    queue_policies,
    room_policies,
    seek_policies,
    ticket_policies,
)
from gameserver.time_control import TimeControl
from gameserver.values import evolved

_NO_TICKETS: Mapping[str, Ticket] = {}


def turn_time_refused(turn_time_ms: int | None) -> Rejected | None:
    """Refuses to match a player who wishes a turn time out of bounds; None for one within them."""
    if turn_time_ms is None or TURN_TIME_MIN_MS <= turn_time_ms <= TURN_TIME_MAX_MS:
        return None
    allowed = {"min_s": str(TURN_TIME_MIN_MS // 1000), "max_s": str(TURN_TIME_MAX_MS // 1000)}
    return Rejected(Code.TURN_TIME_OUT_OF_RANGE, allowed)


def open_match(
    draft: Draft,
    game: Game[object],
    names: tuple[str, ...],
    policies: Policies,
    *,
    options: Any = None,
    room: int | None = None,
    seats_by: SeatsBy = SeatsBy.DRAWN,
    tickets: Mapping[str, Ticket] = _NO_TICKETS,
    scheduled: Scheduled | None = None,
    chance: MatchChance | None = None,
) -> int:
    """Opens the match of the players paired: seats them, in the order of the names unless that is drawn, and begins.

    House players go by their names, `tickets` by player. Returns the match's number. Raises `GameBug` before any write.
    """
    server, number, now_ms = draft.server, draft.server.next_match, draft.at.now_ms
    players = [draft.players.get(name) for name in names]
    # On a ladder, the house's anchors count.
    policies = policies if seats_by is SeatsBy.LADDER else _rated_among_people(policies, players)
    policies = _with_terms_shown(policies, players)
    ways, grace_ms = map(tickets.get, names), policies.drop_grace_ms
    holders = tuple(map(_holder, names, players, ways, repeat(room), repeat(grace_ms), repeat(server.rules)))
    chance = chance or MatchChance(server.epochs[-1].seed, str(number), contributed(filter(None, players)))
    seats, lots = _seats_by_lot(holders, chance.draw_key) if seats_by is SeatsBy.DRAWN else (holders, ())
    # One player who says `Ready` makes all wait; the others hear of the match when its game begins.
    is_awaited = any(holder.says_ready for holder in holders)
    contest, first_game, first_options = _course_of(game, options)
    match = Match(
        id=number,
        game=first_game,
        options=first_options,
        policies=policies,
        chance=chance,
        seats=seats,
        first=0,
        # A bug of the game is raised here, before anything is written.
        state=referee.start(first_game, first_options),
        turn=NOBODYS_TURN,
        clock=waiting_clock(policies, now_ms) if is_awaited else NO_CLOCK,
        turn_started_ms=now_ms,
        opened_ms=now_ms,
        opened_wall_ms=draft.at.wall_ms,
        phase=MatchPhase.READYING,
        room=room,
        owed=() if scheduled is None else late_answers.carried([draft.players.get(one.player) for one in seats]),
        contest=contest,
        scheduled=scheduled,
        banks=_full_banks(policies.clock, seats),
        seat_lots=lots,
        seats_by=seats_by,
    )
    match, prompts = (match, ()) if is_awaited else begun(match, now_ms)
    draft.server = evolved(server, next_match=number + 1)
    draft.matches[number] = match
    for player in filter(None, players):
        _seat_player(draft, player, match)
    _tell(draft, match, prompts)
    return number


def _course_of(game: Game[object], options: Any) -> tuple[GameSeries | None, Game[object], Any]:
    """The series of games that a match goes through, if there is one; its first game, and the options of that."""
    options = game.options_type() if options is None else options
    contest = contest_of(game, options)
    return (None, game, options) if contest is None else (contest, *next_of(contest))


def open_where_they_wait(
    draft: Draft,
    game: Game[object],
    names: tuple[str, ...],
    terms: Callable[..., Policies] | None = None,
    *,
    seats_by: SeatsBy,
    **more: Any,
) -> int:
    """Opens the match of players who were paired elsewhere, in this order, though they wait in a room or with a ticket.

    `terms` changes the mildest terms that any of them needs, and is told if a ticket leads here; `more` is as with
    `open_match`. Raises `GameBug` before anything is written.
    """
    people = [player for name in names if (player := draft.players.get(name)) is not None]
    by_room = [player for player in people if player.sits]
    found = {player.name: waiting_ticket(draft, player, game.name) for player in people if player not in by_room}
    tickets = {name: ticket for name, ticket in found.items() if ticket is not None}
    policies = _mildest(draft.server.rules, rooms=bool(by_room), tickets=bool(tickets))
    if terms is not None:
        policies = terms(policies, by_ticket=bool(tickets))
    options = options_of_match(game, tuple(tickets.values()), names)
    number = open_match(draft, game, names, policies, options=options, seats_by=seats_by, tickets=tickets, **more)
    for player in by_room:
        assert player.room is not None, "who sits has a room"
        room = draft.rooms[player.room]
        draft.rooms[room.number] = evolve(
            room, phase=RoomPhase.PLAYING, match=number, matches_played=room.matches_played + 1, last_guests=()
        )
    for ticket in tickets.values():
        del draft.tickets[ticket.id]
    return number


def _mildest(rules: Rules, *, rooms: bool, tickets: bool) -> Policies:
    if tickets:
        return ticket_policies(rules, first_move_pause=True, rated=rules.rated)
    return room_policies(rules, first_move_pause=True) if rooms else queue_policies(rules)


def cannot_see_bank(player: Player | None) -> bool:
    """True if a player to be seated in a match has a client that tells nothing but the limit of a turn."""
    return player is not None and not player.sees_bank


def _with_terms_shown(policies: Policies, players: Sequence[Player | None]) -> Policies:
    """The policies with a limit for the turn, where a player would hear of no limit at all."""
    # A search or a tournament goes on all the same; who makes a challenge is told, and can choose another clock.
    if not policies.clock.has_bank or not any(map(cannot_see_bank, players)):
        return policies
    return evolve(policies, clock=policies.clock.with_turn_limit())


def _full_banks(clock: TimeControl, seats: Sequence[SeatHolder]) -> tuple[Bank | None, ...]:
    return tuple(None if holder.is_house else Bank(clock.full_bank_ms) for holder in seats) if clock.has_bank else ()


def contributed(players: Iterable[Player]) -> Contributions:
    """Collects what the players of a match that is about to open have added to its chance."""
    return tuple([(player.name, player.contribution) for player in players if player.contribution])


def _seats_by_lot(holders: Sequence[SeatHolder], key: str) -> tuple[tuple[SeatHolder, ...], tuple[int, ...]]:
    """The seats as the lots give them, and the lots."""
    lots = drawn_lots(len(holders), key, "seats")
    # By name, which everybody knows: from the order in which they came, the server could still choose.
    return in_drawn_order(sorted(holders, key=lambda one: one.player.encode()), lots), lots


def _tell(draft: Draft, match: Match, prompts: tuple[str, ...]) -> None:
    if match.phase is MatchPhase.READYING:
        tell_paired(draft, match)
    else:
        tell_opened(draft, match)
        tell_turn(draft, match, prompts, match.withheld_seats)


def _rated_among_people(policies: Policies, players: Sequence[Player | None]) -> Policies:
    """The terms, unrated unless two people play: practice is not played to win.

    On a ladder it is, and there the house plays with a fixed rating.
    """
    # `draft.players` has no house players.
    is_between_two = len(players) == 2 and all(players)
    return policies if is_between_two or not policies.rated else evolve(policies, rated=False)


def _holder(
    name: str, player: Player | None, ticket: Ticket | None, match_room: int | None, grace_ms: int, rules: Rules
) -> SeatHolder:
    if player is None:
        return SeatHolder(player=name, protocol="house", address="", session=HOUSE_SESSION)
    has_key = bool(player.key)
    if has_key:
        # A key comes from a browser: its page is reloaded, and a phone loses its network.
        grace_ms = max(grace_ms, rules.key_grace_ms)
    holder = (name, player.protocol, player.address, player.session, grace_ms)
    says_ready = Capability.READY in player.capabilities
    # A guest leaves the room in which their search was shown for the one in which the match is played.
    own_room = player.room if match_room is None else match_room
    room = own_room if Capability.ROOMS in player.capabilities else None
    if ticket is None:
        return SeatHolder(*holder, None, says_ready, room=room, key=player.key, had_key_grace=has_key)
    return SeatHolder(*holder, says_ready=says_ready, room=room, claim=ticket.claim)


def _seat_player(draft: Draft, player: Player, match: Match) -> None:
    """Seat a player, which ends their seek and their own challenge; challenges received stay open.

    While the match waits for a player to be ready, the others have not heard of it: if it does not begin, they are back
    in their queue. A tournament's match was not what they looked for: they go on looking when the tournament is over.
    """
    player = close_challenge_of(draft, leave_queue(draft, player))
    waits_unawares = match.phase is MatchPhase.READYING and Capability.READY not in player.capabilities
    keeps_seek = waits_unawares or match.scheduled is not None
    seek = player.seek if keeps_seek else None
    is_used = (player.name, player.contribution) in match.chance.contributions
    contribution = "" if is_used else player.contribution
    draft.players[player.name] = evolved(
        player, match=match.id, seek=seek, contribution=contribution, late_answer_until_ms=0
    )
    draft.seated[player.name] = match.id


def close_challenge_of(draft: Draft, player: Player) -> Player:
    """Stops pairing a player by their own challenge: takes it back, and tells its receiver."""
    if player.room is not None:
        player = places.take_guests_place(draft, player, RoomGuest.CHALLENGING)
    if player.challenge is None:
        return player
    challenge = draft.challenges[player.challenge]
    target = draft.players.get(challenge.to)
    if target is not None:
        # As the old servers: only to the one who was challenged.
        draft.tell(target.session, ChallengeClosed(challenge.number))
    del draft.challenges[challenge.number]
    player = evolved(player, challenge=None)
    draft.players[player.name] = player
    return player


def meet_seeker(draft: Draft, name: str) -> None:
    """Gives a free player who seeks the opponent that has waited longest, or a place in the queue."""
    player = draft.players.get(name)
    if player is None or player.seek is None or player.match is not None:
        return
    player = places.leave_queue(draft, player)
    assert player.seek is not None, "leaving the queue is not giving the search up"
    # In the queue all the same: the search goes on when the tournament is over.
    if lobby.is_reserved(draft, name):
        _wait(draft, name)
        return
    waiting = places.seekers(draft, player.seek)
    if draft.ladders.get(player.seek) is not None and _is_program(player):
        waiting = [other for other in waiting if not _is_program(draft.players[other])]
    ticket = None if waiting else _ticket_for_seekers(draft, player.seek)
    if ticket is not None:
        _open_with(draft, ticket, name, name_first=False)
        return
    if not waiting:
        _wait(draft, name)
        return
    game = draft.game_named(player.seek)
    assert game is not None, "a seek names a game that was known when it was made"
    wishes = (draft.players[waiting[0]].seek_turn_time_ms, player.seek_turn_time_ms)
    open_match(draft, game, (waiting[0], name), seek_policies(draft.server.rules, wishes))


def left_to_ladder(draft: Draft, game: str) -> list[str]:
    """The players in a game's queue whom the matchmaker leaves to its ladder, longest wait first."""
    return [name for name in places.seekers(draft, game) if _is_program(draft.players[name])]


def _is_program(player: Player) -> bool:
    """True if a seeker takes whatever match comes: no time for a turn was asked for, and no browser has the key."""
    return not player.key and player.seek_turn_time_ms is None


def resume_seek(draft: Draft, resumed: SeekResumed) -> None:
    """Matches a seeker who is free again, and looked for the next opponent meanwhile.

    If the next game's code fails, they wait in its queue: it must not cost the move that freed them.
    """
    if draft.server.drains:
        return
    try:
        meet_seeker(draft, resumed.player)
    except GameBug as fault:
        draft.faults.append(fault.why)
        _wait(draft, resumed.player)


def show_seeker(draft: Draft, player: Player) -> None:
    """Pairs a seeker with players in rooms: shows them in a free one, or has one with a ready host looked at."""
    if player.room is not None or player.seek is None:
        return
    game = places.game_of_rooms(draft)
    if game is None or player.seek != game.name or lobby.is_reserved(draft, player.name):
        return
    ready = places.lone_ready(draft)
    number = places.lowest_free(draft)
    if ready is not None:
        draft.follow_ups.add(RoomChanged(ready.number))
    elif number is not None:
        places.add_place(draft, Room(number), player, RoomGuest.SEEKING)


def room_seekers(draft: Draft) -> list[str]:
    """The seekers with whom a host in a room can be matched: the queue of the rooms' game, longest wait first."""
    game = places.game_of_rooms(draft)
    return [] if game is None else places.seekers(draft, game.name)


def no_place_opposite(draft: Draft, player: Player, target: Player, game: Game[object]) -> Rejected | None:
    """The reason why a challenger cannot be paired with a player who sits in a room; None if they can."""
    if target.room is None or game is not places.game_of_rooms(draft):
        return Rejected(Code.NO_CHALLENGES, {"player": target.name})
    if player.room == target.room or places.is_lone(draft.rooms[target.room]):
        return None
    return Rejected(Code.ROOM_FULL, {"room": str(target.room)})


def sit_opposite(draft: Draft, player: Player, target: Player) -> None:
    """Pairs a challenger with a player alone in a room by a place opposite: being ready accepts the challenge."""
    assert target.room is not None, "no_place_opposite has seen to it"
    if player.room == target.room:
        return
    player = close_challenge_of(draft, player)
    player = places.take_guests_place(draft, player, RoomGuest.SEEKING)
    places.add_place(draft, draft.rooms[target.room], player, RoomGuest.CHALLENGING)


def look_again(draft: Draft, player: Player) -> None:
    """Has the matchmaker look for opponents again for the ticket of a player whom no tournament reserves any more."""
    for ticket in draft.tickets.values():
        if ticket.session == player.session and ticket.partner is None:
            search_on(draft, ticket)
            return


def search_on(draft: Draft, ticket: Ticket) -> None:
    """Pairs a ticket that has no partner anew, and opens the match if both players are here."""
    search(draft, ticket)
    meet_ticket(draft, draft.tickets[ticket.id])


def meet_ticket(draft: Draft, ticket: Ticket) -> None:
    """Pairs a ticket's player with the opponent if both are here; else tells the player how the search stands.

    A player who looks for the same game in its queue is always here: they are taken when the ticket's player arrives,
    and hear nothing before the match begins.
    """
    if ticket.session is None:
        return
    partner = None if ticket.partner is None else draft.tickets.get(ticket.partner)
    if partner is not None and partner.session is not None:
        _open_pair(draft, ticket, partner)
        return
    other = None if draft.server.drains else present_opponent(draft, ticket)
    if other is not None:
        _leave_absent(draft, ticket, other)
        return
    at_hand = opponent_at_hand(draft, ticket) if may_leave(draft, ticket) else None
    if at_hand is None:
        places.wake_ladder(draft, ticket.booked.game)
        draft.tell(ticket.session, ticket_shown(draft, ticket))
    else:
        _open_with(draft, ticket, at_hand, name_first=ticket.booked.against is not Against.HOUSE)


def _wait(draft: Draft, name: str) -> None:
    player = draft.players[name]
    game = player.seek
    assert game is not None, "only who seeks can wait"
    draft.queues[game] = (*(draft.queues.get(game) or ()), name)
    places.wake_ladder(draft, game)
    show_seeker(draft, player)


def _ticket_for_seekers(draft: Draft, game: str) -> Ticket | None:
    """A ticket whose player is here and would also play a player out of this game's queue."""
    if not draft.tickets:
        return None
    for ticket in draft.tickets.values():
        is_here = ticket.session is not None and may_leave(draft, ticket)
        if ticket.booked.open_to_queue and ticket.booked.game == game and is_here and not is_kept(draft, ticket):
            return ticket
    return None


def _open_with(draft: Draft, ticket: Ticket, name: str, *, name_first: bool) -> None:
    """Open the match of a ticket's player, who is here, and a player without a ticket."""
    # A search that was open before the drain stays open, and leads to nothing.
    if draft.server.drains:
        return
    ticket, left_alone = dissolve(draft, ticket)
    names = (name, ticket.player) if name_first else (ticket.player, name)
    _open(draft, (ticket,), names)
    search_anew(draft, (left_alone,))


def _leave_absent(draft: Draft, ticket: Ticket, other: Ticket) -> None:
    """Let two players who are here meet, instead of waiting for opponents who have not come."""
    ticket, first_left = dissolve(draft, ticket)
    other, second_left = dissolve(draft, draft.tickets[other.id])
    _open_pair(draft, *pair(draft, ticket, other))
    search_anew(draft, (first_left, second_left))


def _open_pair(draft: Draft, ticket: Ticket, partner: Ticket) -> None:
    """Open the match of two players who are here. The earlier arrival sits first; of two at once, the partner."""
    # GammonX: the first of the two to call JoinMatch is player1, and white.
    both = sorted((partner, ticket), key=lambda one: one.arrived_ms)
    _open(draft, tuple(both), tuple(one.player for one in both))


def _open(draft: Draft, tickets: tuple[Ticket, ...], names: tuple[str, ...]) -> None:
    if draft.server.drains:
        return
    game = draft.game_named(tickets[0].booked.game)
    assert game is not None, "a ticket names a game that was known when it was booked"
    by_name = {ticket.player: ticket for ticket in tickets}
    options = options_of_match(game, tickets, names)
    # A player without a ticket has come by another protocol, whose clients may need the pause before the first move.
    unlike = any(name not in by_name and draft.players.get(name) is not None for name in names)
    rated = tickets[0].booked.against is Against.RATED
    policies = ticket_policies(draft.server.rules, first_move_pause=unlike, rated=rated)
    # Practice against the house has no bank: nobody asked for one.
    is_practice = tickets[0].booked.against is Against.HOUSE
    if is_practice:
        policies = evolve(policies, clock=policies.clock.without_bank())
    seats_by = SeatsBy.PRACTICE if is_practice else SeatsBy.ARRIVAL
    open_match(draft, game, names, policies, options=options, seats_by=seats_by, tickets=by_name)
    for ticket in tickets:
        del draft.tickets[ticket.id]
