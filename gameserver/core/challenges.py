"""Challenges and seeks: searches for an opponent, by name or any.

A challenge is a request of one player to another. It ends when its maker challenges another player, begins a match or
leaves, and when its receiver leaves. The house accepts after `Rules.house_accept_ms`: one real client (2020) overwrites
its state when it reads the OK, and never moves where the match came in the same packet. Practice begins at once. A
player who sits alone in a room cannot hear of a challenge: the challenger takes the place opposite, and being ready
accepts. For a name that no player has, the nearest one is suggested.

A seek stands in its game's queue while its player is free. During a match it waits, and joins the queue when the match
is over.
"""

import difflib
from collections.abc import Iterator
from itertools import islice

import attrs

from gameserver.core import lobby, matchmaker, referee
from gameserver.core.commands import Accept, Capability, Challenge, ChallengeTimeUp, HousePlayer, Seek, Withdraw
from gameserver.core.draft import Draft
from gameserver.core.events import Accepted, Answer, ChallengeOpened, Code, Rejected, SeatsBy
from gameserver.core.lobby import Lobby, OpenChallenge, Player
from gameserver.core.match_course import abandon
from gameserver.core.matchmaker import (
    cannot_see_bank,
    close_challenge_of,
    meet_seeker,
    open_match,
    turn_time_refused,
)
from gameserver.core.places import leave_queue
from gameserver.game import Game
from gameserver.policies import DropPolicy, house_policies, practice_policies, queue_policies
from gameserver.time_control import NO_TIME_LIMIT, TimeControl
from gameserver.values import evolved

COMPARED_MAX = 50
"""Names that are compared: each takes 10 us, and an unknown name costs its sender nothing."""
# Judgement: a slip drops, adds or swaps a letter or two.
_LENGTHS_APART_MAX = 2
# Judgement, on the scale of `difflib`: one wrong letter of four is near enough.
_LIKENESS_PERCENT_MIN = 75


def unknown_player(draft: Draft, name: str) -> Rejected:
    """Refuses to challenge, or write to, a name that nobody has; suggests the most similar one, if near enough."""
    shown = {known.casefold(): known for known in islice(_near_in_length(draft, name), COMPARED_MAX)}
    found = difflib.get_close_matches(name.casefold(), shown, n=1, cutoff=_LIKENESS_PERCENT_MIN / 100)
    return Rejected(Code.UNKNOWN_PLAYER, {"player": name} | ({"like": shown[found[0]]} if found else {}))


def _near_in_length(draft: Draft, name: str) -> Iterator[str]:
    """The house players, then the listed players who are here, by names of similar length."""
    for house in draft.server.house:
        if abs(len(house.name) - len(name)) <= _LENGTHS_APART_MAX:
            yield house.name
    for player in draft.lobby.players.values():
        if player.is_listed and abs(len(player.name) - len(name)) <= _LENGTHS_APART_MAX:
            yield player.name


def seek(draft: Draft, command: Seek) -> Answer:
    """Carries out `Seek`, like a challenge to anybody at a game: begins a match at once if an opponent waits."""
    lobby = draft.lobby  # nothing has been written yet, so the lobby is read without an overlay
    player = lobby.players.get(lobby.sessions.get(command.session, ""))
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    game = lobby.games.get(command.game.lower())
    if game is None:
        return Rejected(Code.UNKNOWN_GAME, {"game": command.game})
    # The player takes that seat back by `Sit` and `Ready`, and would then be in two matches.
    if _has_seat_waiting(lobby, player):
        return Rejected(Code.IN_MATCH)
    if player.sits:
        return Rejected(Code.IN_ROOM, {"room": str(player.room)})
    if lobby.tickets and any(ticket.session == command.session for ticket in lobby.tickets.values()):
        return Rejected(Code.TICKET_OPEN)  # or the player would be found as their own opponent
    found = turn_time_refused(command.turn_time_ms)
    if found is not None:
        return found
    player = leave_queue(draft, player)
    draft.players[player.name] = evolved(player, seek=game.name, seek_turn_time_ms=command.turn_time_ms)
    # During a match the seek waits: the server of 2015 accepts a `subscribe` then, too, and begins the next match right
    # after the result (captured).
    if player.match is None:
        meet_seeker(draft, player.name)
    return Accepted()


def withdraw(draft: Draft, command: Withdraw) -> Answer:
    """Carries out `Withdraw`: ends a player's seek, or takes back the challenge that the player has made."""
    player = draft.player_of(command.session)
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    if command.challenge:
        close_challenge_of(draft, player)
        return Accepted()
    player = leave_queue(draft, player)
    draft.players[player.name] = evolved(player, seek=None)
    return Accepted()


def challenge(draft: Draft, command: Challenge) -> Answer:
    """Carries out `Challenge`: one player asks another, or a house player, for a match."""
    player = draft.player_of(command.session)
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    running = None if player.match is None else draft.matches[player.match]
    # A practice match may be left for the next one, which abandons it (`_ask_house`).
    may_leave_it = running is None or (command.practice and running.policies.dropped is DropPolicy.NOTHING)
    if not may_leave_it or _has_seat_waiting(draft.lobby, player):
        return Rejected(Code.IN_MATCH)
    if player.sits:
        return Rejected(Code.IN_ROOM, {"room": str(player.room)})
    house = next((known for known in draft.server.house if known.name == command.to), None)
    target = draft.players.get(command.to)
    if house is None and target is None:
        return unknown_player(draft, command.to)
    game = draft.game_named(command.game)
    if game is None:
        return Rejected(Code.UNKNOWN_GAME, {"game": command.game})
    refusal = _terms_refused(draft, player, target, game, command)
    if refusal is not None:
        return refusal
    if house is not None:
        return _ask_house(draft, player, house, game, command)
    if command.options is not None or command.practice:
        return Rejected(Code.HOUSE_ONLY, {"player": command.to})
    assert target is not None, "one of house and target is known"
    if Capability.CHALLENGE not in target.capabilities:
        matchmaker.sit_opposite(draft, player, target)
        return Accepted()
    _open_challenge(draft, player, target, game, command)
    return Accepted()


def accept(draft: Draft, command: Accept) -> Answer:
    """Carries out `Accept`: begins the match of a challenge that was made to this player."""
    player = draft.player_of(command.session)
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    if player.match is not None or _has_seat_waiting(draft.lobby, player):
        return Rejected(Code.IN_MATCH)
    if player.sits:
        return Rejected(Code.IN_ROOM, {"room": str(player.room)})
    if not lobby.may_challenge(draft, player.name):
        return Rejected(Code.IN_TOURNAMENT)
    received = [one for one in draft.challenges.values() if one.to == player.name]
    if command.challenge is None and len(received) != 1:
        return Rejected(Code.CHALLENGE_UNCLEAR, {"count": str(len(received))})
    wanted = received[0].number if command.challenge is None else command.challenge
    challenge = next((one for one in received if one.number == wanted), None)
    if challenge is None:
        return Rejected(Code.UNKNOWN_CHALLENGE, {"number": str(wanted)})
    challenger = draft.players[challenge.challenger]
    if not lobby.may_challenge(draft, challenger.name):
        return Rejected(Code.IN_TOURNAMENT)
    del draft.challenges[challenge.number]
    draft.players[challenger.name] = attrs.evolve(challenger, challenge=None)
    _begin(draft, challenge)
    return Accepted()


def time_up(draft: Draft, command: ChallengeTimeUp) -> Answer:
    """Carries out `ChallengeTimeUp`: a house player accepts the challenge that was made to it."""
    challenge = draft.challenges.get(command.challenge)
    if challenge is None or challenge.due_ms is None or challenge.due_ms > draft.at.now_ms:
        return Rejected(Code.STALE)
    challenger = draft.players[challenge.challenger]
    close_challenge_of(draft, challenger)
    if draft.server.drains or not lobby.may_challenge(draft, challenger.name):
        return Accepted()
    try:
        _begin(draft, challenge)
    except referee.GameBug as fault:
        draft.faults.append(fault.why)
    return Accepted()


def _begin(draft: Draft, challenge: OpenChallenge) -> None:
    game = draft.game_named(challenge.game)
    assert game is not None, "a challenge names a game that was known at its opening"
    to_house = draft.players.get(challenge.to) is None
    policies_of = house_policies if to_house else queue_policies
    policies = policies_of(draft.server.rules, challenge.clock)
    seats_by = SeatsBy.DRAWN if challenge.seat is None else SeatsBy.CHALLENGE
    open_match(draft, game, challenge.names, policies, seats_by=seats_by)


def drop_challenges_to(draft: Draft, name: str) -> None:
    """Removes the challenges to a player who left. Their makers are not told: no client knows how."""
    for challenge in [one for one in draft.challenges.values() if one.to == name]:
        del draft.challenges[challenge.number]
        # Its maker is here: a player who leaves takes their own challenges along.
        maker = draft.players[challenge.challenger]
        draft.players[maker.name] = attrs.evolve(maker, challenge=None)


def _has_seat_waiting(rows: Lobby, player: Player) -> bool:
    """True if a seat waits for a player who takes it back by sitting down in its room: another match has to wait."""
    return Capability.ROOMS in player.capabilities and player.match is None and player.name in rows.seated


def _terms_refused(
    draft: Draft, player: Player, target: Player | None, game: Game[object], command: Challenge
) -> Rejected | None:
    # The old servers answer this with an error and OK, and then really challenge the player (captured).
    if target is player:
        return Rejected(Code.CHALLENGE_SELF)
    if not (lobby.may_challenge(draft, player.name) and lobby.may_challenge(draft, command.to)):
        return Rejected(Code.IN_TOURNAMENT)
    found = None if command.clock is None else _clock_refused(command.clock, player, target)
    if found is not None:
        return found
    if command.seat is not None and command.seat not in range(len(game.roles)):
        roles = f"its seats are from 0 to {len(game.roles) - 1}" if game.roles else "its seats are drawn by lot"
        return Rejected(Code.BAD_OPTIONS, {"game": game.name, "why": roles})
    # As the server of 2015: "Other player currently in match". With that of 2016 a player can be in two at once.
    if target is not None and target.match is not None:
        return Rejected(Code.OTHER_IN_MATCH, {"player": target.name})
    if target is not None and Capability.CHALLENGE not in target.capabilities:
        return matchmaker.no_place_opposite(draft, player, target, game)
    return None


def _clock_refused(clock: TimeControl, *players: Player | None) -> Rejected | None:
    """The refusal of a clock whose turns are out of bounds, or whose bank a player would not see run out."""
    if clock == NO_TIME_LIMIT:
        return turn_time_refused(0)
    unseeing = next((player for player in players if cannot_see_bank(player)), None)
    if unseeing is None or not clock.has_bank or clock.turn_time_ms is not None:
        return turn_time_refused(clock.turn_time_ms)
    return Rejected(Code.BANK_NOT_SHOWN, {"player": unseeing.name, "example": f"{clock}, turn 60s"})


def _open_challenge(draft: Draft, player: Player, target: Player, game: Game[object], command: Challenge) -> None:
    number = _put_challenge(draft, player, game, command)
    # TURNTIME is always told: the server of 2016 names its own limit where the challenger named none.
    clock = command.clock or draft.server.rules.clock
    # The challenger has chosen their own seat; this is the other one.
    seat = None if command.seat is None else 1 - command.seat
    draft.tell(target.session, ChallengeOpened(number, player.name, game.name, clock, seat))


def _put_challenge(
    draft: Draft, player: Player, game: Game[object], command: Challenge, due_ms: int | None = None
) -> int:
    # A player has one open challenge; as with the old servers, a new one replaces it.
    player = close_challenge_of(draft, player)
    server = draft.server
    # One counter for the whole server, from 0, and no number twice: so the old servers count, and clients know
    # challenges by the number alone.
    number = server.next_challenge
    draft.server = attrs.evolve(server, next_challenge=number + 1)
    clock, seat = command.clock, command.seat
    draft.challenges[number] = OpenChallenge(number, player.name, command.to, game.name, clock, due_ms, seat)
    draft.players[player.name] = attrs.evolve(player, challenge=number)
    return number


def _ask_house(draft: Draft, player: Player, house: HousePlayer, game: Game[object], command: Challenge) -> Answer:
    if game.name not in house.games:
        return Rejected(Code.GAME_NOT_PLAYED, {"player": house.name, "game": game.name})
    try:
        options = referee.options_of(game, command.options or {})
    except referee.PlayersMistake as error:
        return Rejected(Code.BAD_OPTIONS, {"game": game.name, "why": str(error)})
    rules = draft.server.rules
    if rules.house_accept_ms and not command.practice and command.options is None:
        referee.start(game, options)  # a game that cannot begin is refused now, while there is an answer to give
        due_ms = draft.at.now_ms + rules.house_accept_ms
        _put_challenge(draft, player, game, command, due_ms)
        return Accepted()
    policies = practice_policies(rules) if command.practice else house_policies(rules, command.clock)
    if player.match is not None:
        running = draft.matches[player.match]
        abandon(draft, running, running.seat_of(player.name))
    # The house has the first seat of a practice match: where the seats differ, the other is the one to learn from.
    seat = 1 if command.practice else command.seat
    names = (house.name, player.name) if seat == 1 else (player.name, house.name)
    chosen = SeatsBy.DRAWN if seat is None else SeatsBy.CHALLENGE
    seats_by = SeatsBy.PRACTICE if command.practice else chosen
    open_match(draft, game, names, policies, options=options, seats_by=seats_by)
    return Accepted()
