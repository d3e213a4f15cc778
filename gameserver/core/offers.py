"""How players find each other: seeks, challenges, and the opening of a match.

A seek stands in its game's queue while its player is free. During a match it waits and joins the
queue when the match is over. A challenge is one player's to one other; it ends when its maker
challenges somebody else, begins a match or leaves, and when its receiver leaves.
"""

import attrs

from gameserver.core import referee, tables
from gameserver.core.chance import shuffled
from gameserver.core.commands import HOUSE_SESSION, Accept, Challenge, HousePlayer, Seek, Withdraw
from gameserver.core.events import Accepted, Answer, OfferClosed, OfferOpened, Rejected
from gameserver.core.lobby import Draft, OpenChallenge, Player
from gameserver.core.match import Clock, Match, SeatHolder
from gameserver.core.playing import restarted_clock
from gameserver.core.policies import TURN_TIME_MAX_MS, TURN_TIME_MIN_MS, Policies, queue_policies
from gameserver.core.rejections import Code
from gameserver.core.table import Guest
from gameserver.core.telling import tell_opened, tell_turn
from gameserver.game import Game


def seek(draft: Draft, command: Seek) -> Answer:
    """Look for any opponent; pairs at once where one waits."""
    player = draft.player_of(command.session)
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    game = draft.game_named(command.game)
    if game is None:
        return Rejected(Code.UNKNOWN_GAME, {"game": command.game})
    if tables.sits(player):
        return Rejected(Code.AT_TABLE, {"table": str(player.table)})
    player = leave_queue(draft, player)
    draft.players[player.name] = attrs.evolve(player, seek=game.name)
    if player.match is None:
        pair_or_wait(draft, player.name)
    return Accepted()


def withdraw(draft: Draft, command: Withdraw) -> Answer:
    """Stop looking."""
    player = draft.player_of(command.session)
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    player = leave_queue(draft, player)
    draft.players[player.name] = attrs.evolve(player, seek=None)
    return Accepted()


def challenge(draft: Draft, command: Challenge) -> Answer:
    """Ask one player; the house accepts at once."""
    player = draft.player_of(command.session)
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    if player.match is not None:
        return Rejected(Code.IN_MATCH)
    if tables.sits(player):
        return Rejected(Code.AT_TABLE, {"table": str(player.table)})
    house = next((known for known in draft.server.house if known.name == command.to), None)
    target = draft.players.get(command.to)
    if house is None and target is None:
        return Rejected(Code.UNKNOWN_PLAYER, {"player": command.to})
    game = draft.game_named(command.game)
    if game is None:
        return Rejected(Code.UNKNOWN_GAME, {"game": command.game})
    refusal = _terms_refused(draft, player, target, game, command)
    if refusal is not None:
        return refusal
    if house is not None:
        return _house_accepts(draft, player, house, game, command.turn_time_ms)
    assert target is not None, "one of house and target is known"
    if "challenge" not in target.carries:
        return _sit_opposite(draft, player, target)
    _open_challenge(draft, player, target, game, command.turn_time_ms)
    return Accepted()


def accept(draft: Draft, command: Accept) -> Answer:
    """Take a challenge up."""
    player = draft.player_of(command.session)
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    if player.match is not None:
        return Rejected(Code.IN_MATCH)
    if tables.sits(player):
        return Rejected(Code.AT_TABLE, {"table": str(player.table)})
    received = [offer for offer in draft.challenges.values() if offer.to == player.name]
    if command.challenge is None and len(received) != 1:
        return Rejected(Code.CHALLENGE_UNCLEAR, {"count": str(len(received))})
    wanted = received[0].number if command.challenge is None else command.challenge
    offer = next((offer for offer in received if offer.number == wanted), None)
    if offer is None:
        return Rejected(Code.UNKNOWN_CHALLENGE, {"number": str(wanted)})
    challenger = draft.players[offer.challenger]
    game = draft.game_named(offer.game)
    assert game is not None, "a challenge names a game that was known at its opening"
    del draft.challenges[offer.number]
    draft.players[challenger.name] = attrs.evolve(challenger, challenge=None)
    policies = queue_policies(draft.server.rules, offer.turn_time_ms)
    open_match(draft, game, (challenger.name, player.name), policies)
    return Accepted()


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


def drop_challenges_to(draft: Draft, name: str) -> None:
    """Forget the challenges to a player who left. Their makers are not told: no client knows how."""
    for offer in [offer for offer in draft.challenges.values() if offer.to == name]:
        del draft.challenges[offer.number]
        maker = draft.players[offer.challenger]
        draft.players[maker.name] = attrs.evolve(maker, challenge=None)


def leave_queue(draft: Draft, player: Player) -> Player:
    """Take a player out of the queue they wait in, if any, and from the table where they are shown meanwhile."""
    if player.seek is None:
        return player
    waiting = draft.queues.get(player.seek) or ()
    if player.name in waiting:
        rest = tuple(name for name in waiting if name != player.name)
        draft.queues[player.seek] = rest or None
    return tables.take_guests_place(draft, player, Guest.SEEKING)


def pair_or_wait(draft: Draft, name: str) -> None:
    """Give a free player who seeks the longest-waiting opponent, or a place in the queue."""
    player = draft.players.get(name)
    if player is None or player.seek is None or player.match is not None:
        return
    waiting = draft.queues.get(player.seek) or ()
    if not waiting:
        wait(draft, name)
        return
    game = draft.game_named(player.seek)
    assert game is not None, "a seek names a game that was known when it was made"
    open_match(draft, game, (waiting[0], name), queue_policies(draft.server.rules))


def wait(draft: Draft, name: str) -> None:
    """Put a player at the end of the queue of the game they seek."""
    game = draft.players[name].seek
    assert game is not None, "only who seeks can wait"
    draft.queues[game] = (*(draft.queues.get(game) or ()), name)
    tables.seat_seeker(draft, draft.players[name])


def open_match(
    draft: Draft,
    game: Game[object],
    names: tuple[str, ...],
    policies: Policies,
    *,
    table: int | None = None,
    in_order: bool = False,
) -> int:
    """Seat these players, in a random order unless told otherwise, and begin. House players go by their names.

    Gives the match's number. Raises `GameFault` before anything is written.
    """
    server, now_ms = draft.server, draft.at.now_ms
    number = server.next_match
    seed = server.seed
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


def _terms_refused(
    draft: Draft, player: Player, target: Player | None, game: Game[object], command: Challenge
) -> Rejected | None:
    """Why a challenge between known players at a known game cannot be made; None if it can."""
    if target is player:
        return Rejected(Code.CHALLENGE_SELF)
    turn_time_ms = command.turn_time_ms
    if turn_time_ms is not None and not TURN_TIME_MIN_MS <= turn_time_ms <= TURN_TIME_MAX_MS:
        allowed = {"min_s": str(TURN_TIME_MIN_MS // 1000), "max_s": str(TURN_TIME_MAX_MS // 1000)}
        return Rejected(Code.TURN_TIME_OUT_OF_RANGE, allowed)
    if target is not None and target.match is not None:
        return Rejected(Code.OTHER_IN_MATCH, {"player": target.name})
    if target is not None and "challenge" not in target.carries:
        return _no_place(draft, player, target, game)
    return None


def _no_place(draft: Draft, player: Player, target: Player, game: Game[object]) -> Rejected | None:
    """Why nobody can sit down opposite a player who cannot be challenged otherwise."""
    if target.table is None or game is not tables.game_of_tables(draft):
        return Rejected(Code.NO_CHALLENGES, {"player": target.name})
    if player.table == target.table or tables.is_lone(draft.tables[target.table]):
        return None
    return Rejected(Code.TABLE_FULL, {"table": str(target.table)})


def _sit_opposite(draft: Draft, player: Player, target: Player) -> Answer:
    """Challenge somebody who sits alone at a table: their being ready accepts it."""
    assert target.table is not None, "_no_place has seen to it"
    if player.table == target.table:
        return Accepted()
    player = close_challenge_of(draft, player)
    player = tables.take_guests_place(draft, player, Guest.SEEKING)
    tables.add_place(draft, draft.tables[target.table], player, Guest.CHALLENGING)
    return Accepted()


def _open_challenge(draft: Draft, player: Player, target: Player, game: Game[object], turn_time_ms: int | None) -> None:
    player = close_challenge_of(draft, player)
    server = draft.server
    number = server.next_challenge
    draft.server = attrs.evolve(server, next_challenge=number + 1)
    draft.challenges[number] = OpenChallenge(number, player.name, target.name, game.name, turn_time_ms)
    draft.players[player.name] = attrs.evolve(player, challenge=number)
    shown_ms = server.rules.turn_time_ms if turn_time_ms is None else turn_time_ms
    draft.tell(target.session, OfferOpened(number, player.name, game.name, shown_ms))


def _house_accepts(
    draft: Draft, player: Player, house: HousePlayer, game: Game[object], turn_time_ms: int | None
) -> Answer:
    if game.name not in house.games:
        return Rejected(Code.GAME_NOT_PLAYED, {"player": house.name, "game": game.name})
    open_match(draft, game, (player.name, house.name), queue_policies(draft.server.rules, turn_time_ms))
    return Accepted()
