"""Opens matches: seats the players, decides who begins, and ends their searches and challenges."""

from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import Any

from gameserver.core.matches import late_answers, referee
from gameserver.core.matches.broadcast import tell_opened, tell_paired, tell_turn
from gameserver.core.matches.chance import shuffled
from gameserver.core.matches.game_start import begun, contest_of, next_of, waiting_clock
from gameserver.core.matchmaking import room_places
from gameserver.core.matchmaking.waiting_list import leave_queue
from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import HOUSE_SESSION
from gameserver.core.messages.events import ChallengeClosed, Rejected
from gameserver.core.messages.rejections import Code
from gameserver.core.state.draft import Draft
from gameserver.core.state.lobby import Player
from gameserver.core.state.match import NO_CLOCK, NOBODYS_TURN, Match, MatchPhase, Scheduled, SeatHolder
from gameserver.core.state.room import RoomGuest
from gameserver.core.state.ticket import Ticket
from gameserver.game import Game
from gameserver.policies import TURN_TIME_MAX_MS, TURN_TIME_MIN_MS, Policies, Rules
from gameserver.values import evolved

NO_TICKETS: Mapping[str, Ticket] = {}


def turn_time_refused(turn_time_ms: int | None) -> Rejected | None:
    """The refusal of a time for a turn that no match may have; None for one that it may, and for the server's own."""
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
    in_order: bool = False,
    tickets: Mapping[str, Ticket] = NO_TICKETS,
    scheduled: Scheduled | None = None,
    seed: str | None = None,
) -> int:
    """Seat these players, in a random order unless told otherwise, and begin. House players go by their names.

    `tickets` are the ones that led here, by player; `scheduled` and `seed` are a tournament's.

    Returns the match's number. Raises `GameFault` before anything is written.
    """
    server, now_ms = draft.server, draft.at.now_ms
    number = server.next_match
    players = [draft.players.get(name) for name in names]
    policies = _rated_among_people(policies, players)
    if options is None:
        options = game.options_type()
    ways = [tickets.get(name) for name in names]
    rules = server.rules
    holders = tuple(map(_holder, names, players, ways, repeat(room), repeat(policies.drop_grace_ms), repeat(rules)))
    seats = holders if in_order else shuffled(holders, server.seed, "seats", number)
    is_awaited = any(holder.says_ready for holder in holders)
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
        clock=waiting_clock(policies, now_ms) if is_awaited else NO_CLOCK,
        turn_started_ms=now_ms,
        opened_ms=now_ms,
        opened_wall_ms=draft.at.wall_ms,
        phase=MatchPhase.READYING,
        room=room,
        owed=() if scheduled is None else late_answers.carried([draft.players.get(one.player) for one in seats]),
        contest=contest,
        scheduled=scheduled,
    )
    match, prompts = (match, ()) if is_awaited else begun(match, now_ms)
    draft.server = evolved(server, next_match=number + 1)
    draft.matches[number] = match
    for player in filter(None, players):
        _seat_player(draft, player, match)
    _tell(draft, match, prompts)
    return number


def _tell(draft: Draft, match: Match, prompts: tuple[str, ...]) -> None:
    if match.phase is MatchPhase.READYING:
        tell_paired(draft, match)
    else:
        tell_opened(draft, match)
        tell_turn(draft, match, prompts, match.withheld_seats)


def _rated_among_people(policies: Policies, players: Sequence[Player | None]) -> Policies:
    """The terms, unrated unless two people play: the house's strength is fixed, and practice is not played to win."""
    is_between_two = len(players) == 2 and all(players)
    return policies if is_between_two or not policies.rated else evolved(policies, rated=False)


def _holder(
    name: str, player: Player | None, ticket: Ticket | None, match_room: int | None, grace_ms: int, rules: Rules
) -> SeatHolder:
    if player is None:
        return SeatHolder(player=name, protocol="house", address="", session=HOUSE_SESSION)
    has_key = bool(player.key)
    if has_key:
        grace_ms = max(grace_ms, rules.key_grace_ms)
    holder = (name, player.protocol, player.address, player.session, grace_ms)
    says_ready = Capability.READY in player.capabilities
    # A guest leaves the room in which their search was shown for the one in which the match is played.
    own_room = player.room if match_room is None else match_room
    room = own_room if Capability.ROOMS in player.capabilities else None
    if ticket is None:
        return SeatHolder(*holder, None, says_ready, room=room, key=player.key, had_key_grace=has_key)
    return SeatHolder(
        *holder,
        says_ready=says_ready,
        ticket=ticket.id,
        identity=ticket.identity,
        token=ticket.token,
        room=room,
        is_bound=ticket.is_bound,
        ids=ticket.ids,
        is_claimed=ticket.is_claimed,
        joined_from=ticket.address,
    )


def _seat_player(draft: Draft, player: Player, match: Match) -> None:
    """Seat a player, which ends their seek and their own challenge; challenges received stay open.

    While the match waits for a player to be ready, the others have not heard of it: if it does not begin, they are back
    in their queue. A tournament's match was not what they looked for: they go on looking when the tournament is over.
    """
    player = close_challenge_of(draft, leave_queue(draft, player))
    waits_unawares = match.phase is MatchPhase.READYING and Capability.READY not in player.capabilities
    keeps_seek = waits_unawares or match.scheduled is not None
    seek = player.seek if keeps_seek else None
    draft.players[player.name] = evolved(player, match=match.id, seek=seek, late_answer_until_ms=0)
    draft.seated[player.name] = match.id


def close_challenge_of(draft: Draft, player: Player) -> Player:
    """Take back the challenge that this player has made, and tell its receiver."""
    if player.room is not None:
        player = room_places.take_guests_place(draft, player, RoomGuest.CHALLENGING)
    if player.challenge is None:
        return player
    challenge = draft.challenges[player.challenge]
    target = draft.players.get(challenge.to)
    if target is not None:
        draft.tell(target.session, ChallengeClosed(challenge.number))
    del draft.challenges[challenge.number]
    player = evolved(player, challenge=None)
    draft.players[player.name] = player
    return player
