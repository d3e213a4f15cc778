"""Performs the steps of matches: their beginning, their moves and their end.

A match of the client with a player of the check begins in whichever way this client meets others:

    the client                              what is done
    looks for an opponent                   the player looks for one at the same game
    has challenged the player               the player accepts
    can be called to matches                the match is called, as a tournament does it
    waits with a ticket, or sits in a room  the player looks for an opponent, and is found

A player who is to move first, and would not by the lots that the server draws, is called to the match instead.
"""

import math
from collections.abc import Callable
from typing import Any

from gameserver.chance import draw_key, drawn_lots, in_drawn_order, match_key
from gameserver.check import steps
from gameserver.check.director import Director, NotPlayable, ScenarioFailed, SituationNotReached
from gameserver.check.opponent import Opponent
from gameserver.check.report import Failure
from gameserver.check.scene import Scene, moves_in
from gameserver.check.server_under_check import STEP_S, real_s
from gameserver.check.steps import CLIENT
from gameserver.check.verdict import happened
from gameserver.core.commands import Capability, Conduct, CreateTournament, EntryMode, Ready
from gameserver.core.lobby import Lobby, Player
from gameserver.core.match import Match, MatchPhase
from gameserver.tournaments.model import RegisterEntrant, StartTournament
from gameserver.tournaments.presets import preset

_MEET_S = 10.0
"""The time that a client may take until it does what leads to a match."""
QUIET_S, _FIRST_QUIET_S = 0.3, 0.1
"""Silence of the wire before a match: lines that the client sent in the last one must not arrive in the next."""
# A client of the New Game Server's time (N1cknamed) clears its game after WIN, and dies of a MATCH that comes 30 ms
# later; with a second between them 40 of 40 matches went well.
PAUSE_S = 1.0
"""The time after a match in which a client gets no other one unless it asks for it: tournaments pause for two seconds,
`gameserver match` for one. Where a match is called by a step of its own, the steps say when."""
_BEGIN_S = 10.0
# A client that leaves the room in which it is waited for is met again: some of the original ones do so.
_WAYS_MAX = 3
"""Rooms in which a client is waited for, one after the other, until a match begins."""
MATCH_S = 1_800.0  # by judgement: half an hour for the slowest client at its longest game

Way = Callable[[], str]
"""Begins a match. It returns the line that the player of the check has to send; empty if it is called."""


async def meets(director: Director, step: steps.Meets) -> None:
    """Begins a match of the checked client with a player, in whichever way this client meets others."""
    game = step.game or director.game
    known = director.scene.server.games.get(game.lower())
    if known is None:
        raise SituationNotReached(f"there is no game {game!r}")
    await begin_match(director, step.player, known.name, step.first)


async def match_is_called(director: Director, step: steps.MatchIsCalled) -> None:
    """Performs the step that calls the client to a match as a tournament does, whatever it is doing."""
    scene, opponent = director.scene, director.opponent(step.player)
    order = (scene.client_name, opponent.name) if step.first == CLIENT else (opponent.name, scene.client_name)
    called(scene, director.game, order)
    await _begun(director, opponent, director.name_of(step.first) if step.first else "")


async def begin_match(director: Director, who: str, game: str, first: str) -> None:
    """Begins a match of the scenario in the way that this client can be met, and sees that it is the wanted one."""
    scene, opponent = director.scene, director.opponent(who)
    name_of_first = director.name_of(first) if first else ""
    director.watch()
    await director.settle(_FIRST_QUIET_S if math.isinf(director.match_ended_s) else QUIET_S)
    ways: list[Way] = []

    def finds_way() -> bool:
        if scene.match is not None:
            return True
        pauses = real_s() < director.match_ended_s + PAUSE_S
        way = way_to_meet(scene, opponent, game, name_of_first, pauses=pauses)
        ways.extend([] if way is None else [way])
        return bool(ways)

    for _ in range(_WAYS_MAX):
        await director.until(finds_way, _MEET_S, lambda: _did_nothing(director))
        if scene.match is not None:
            break
        await _gone(director, opponent, ways.pop())
    await _begun(director, opponent, name_of_first)


def way_to_meet(scene: Scene, opponent: Opponent, game: str, first: str, *, pauses: bool) -> Way | None:
    """Finds how a check's match with the client can begin now: a room, a seek, a challenge or a tournament.

    It is None if the client does nothing yet that could lead to a match. `first` is the name of the player who is to
    move first; empty if it does not matter. A client that pauses after a match is called to no other one until it asks
    for one.
    """
    lobby, player, other = scene.server.lobby, scene.player, scene.server.player(opponent.name)
    if lobby is None or player is None or other is None:
        return None
    if other.room is not None and other.room == player.room:
        return lambda: _ready(scene, other.session)
    # The lobby draws the seats from its seed and the number of the match, so the lot is known before it is cast.
    fits = not first or first == _first_by_lot(lobby, player.name, opponent.name)
    if player.seek == game and fits:
        return lambda: f"subscribe {game}"
    number = _challenge(lobby, player, opponent)
    if number is not None and fits:
        return lambda: f"challenge accept {number}"
    order = (opponent.name, player.name) if first == opponent.name else (player.name, opponent.name)
    asks = player.seek == game or number is not None
    if Capability.CHALLENGE in player.capabilities and (asks or not pauses):
        return lambda: called(scene, game, order)
    waits_in_order = not first or first == player.name
    if any(ticket.session == player.session for ticket in lobby.tickets.values()) or player.sits:
        return (lambda: f"subscribe {game}") if waits_in_order else (lambda: called(scene, game, order))
    return None


def _first_by_lot(lobby: Lobby, waiting: str, coming: str) -> str:
    """The player who would get the first seat in the next match of these two."""
    server = lobby.server[""]
    key = draw_key(match_key(server.epochs[-1].seed, server.next_match), ())
    return in_drawn_order(sorted((waiting, coming), key=str.encode), drawn_lots(2, key, "seats"))[0]


def _challenge(lobby: Lobby, player: Player, opponent: Opponent) -> int | None:
    found = None if player.challenge is None else lobby.challenges.get(player.challenge)
    return found.number if found is not None and found.to == opponent.name else None


def _ready(scene: Scene, session: int) -> str:
    """Be ready in the room where the client sits, too."""
    scene.server.ask(Ready(session))
    return ""


def called(scene: Scene, game: str, order: tuple[str, ...]) -> str:
    """Begins a match through a tournament of these two, which calls the checked client to it.

    The first of them has the first seat.
    """
    lobby = scene.server.lobby
    assert lobby is not None, "way_to_meet has seen it"
    number = lobby.server[""].next_tournament
    changes: dict[str, Any] = {"draw": "entry", "pause_ms": 0, "event": False, "challenges": True, "clock": None}
    plan = preset("hanze", f"Check {number}", game, **changes)
    entrants = tuple(RegisterEntrant(name) for name in order)
    seed = f"{scene.chance.getrandbits(256):064x}"
    scene.server.ask(CreateTournament(plan, seed, EntryMode.ROSTER, entrants))
    scene.server.ask(Conduct(number, StartTournament()))
    return ""


async def _gone(director: Director, opponent: Opponent, way: Way) -> None:
    """Go a way until a match begins. A client that leaves its room meanwhile has to be met in another way."""
    scene = director.scene
    room, line = getattr(scene.player, "room", None), way()
    if line:
        await opponent.send(line)
    otherwise = _not_begun(opponent) if room is None or line else _not_started(director, opponent)
    await director.until(
        lambda: scene.match is not None or getattr(scene.player, "room", None) != room, _BEGIN_S, otherwise
    )


async def _begun(director: Director, opponent: Opponent, first: str) -> None:
    """See that the match has begun, and that the right player moves first."""
    scene = director.scene
    await director.until(
        lambda: scene.match is not None and opponent.match is scene.match,
        _BEGIN_S,
        _not_begun(opponent),
    )
    match = scene.match
    assert match is not None, "it was there a moment ago"
    if first and match.phase is MatchPhase.PLAYING and match.players[match.first] != first:
        raise SituationNotReached(f"{match.players[match.first]} was to move first in this match")


def _not_begun(opponent: Opponent) -> Callable[[], SituationNotReached]:
    return lambda: SituationNotReached(f"no match of the client and {opponent.name} has begun within {_BEGIN_S:g} s")


def _not_started(director: Director, opponent: Opponent) -> Callable[[], ScenarioFailed]:
    """The client sits in a room with a player who is ready, and does nothing."""
    was_played = any(
        {seat.player for seat in record.seats} == {director.scene.client_name, opponent.name}
        for record in director.scene.server.records()
    )
    what = (
        f"After the game {opponent.name} asked for another one in the same room. Within {_BEGIN_S:g} s the client "
        "neither asked for one, too, nor left the room."
        if was_played
        else f"{opponent.name} sat in a room with the client and was ready. Within {_BEGIN_S:g} s the client neither "
        "said that it is ready, too, nor left the room."
    )
    return lambda: ScenarioFailed(what, Failure.IDLE)


def _did_nothing(director: Director) -> ScenarioFailed:
    if director.scene.player is None:
        return ScenarioFailed("It is not logged in any more, so that no match can begin.", Failure.LEFT)
    what = (
        f"It came in, and then did nothing for {_MEET_S:g} s that leads to a match: it neither looked for an opponent, "
        "nor sat down and started, nor can it be called to a match."
    )
    return ScenarioFailed(what, Failure.IDLE)


async def moves_are_played(director: Director, step: steps.MovesArePlayed) -> None:
    """Performs the act in which both sides of a match make so many moves."""
    match = await match_under_way(director)
    await _played_up_to(director, match, moves_in(match) + step.count)


async def moves(director: Director, step: steps.Moves) -> None:
    """Performs the step that lets one player of a match make its next move.

    Those before it that the other one has to make come first.
    """
    match = await match_under_way(director)
    seat = match.seat_of(director.name_of(step.who))
    if step.who != CLIENT and seat not in match.turn.seats:
        await _played_up_to(director, match, moves_in(match) + 1)
        match = await match_under_way(director)
    await _played_up_to(director, match, moves_in(match) + 1)


async def _played_up_to(director: Director, match: Match, count: int) -> None:
    scene, number = director.scene, match.id

    def is_played() -> bool:
        now = scene.match
        return scene.server.journal.has_record(number) or (now is not None and moves_in(now) >= count)

    director.match_played = number
    scene.allow(match, count)
    await director.until(is_played, MATCH_S, _too_long)


async def match_under_way(director: Director) -> Match:
    """The client's match, for the step of a match; it may begin in a moment."""
    scene = director.scene
    await director.until(
        lambda: scene.match is not None,
        _MEET_S,
        lambda: SituationNotReached("the client is in no match, so there is nothing to play"),
    )
    match = scene.match
    assert match is not None, "it was there a moment ago"
    return match


async def match_played_to_end(director: Director, _: steps.MatchPlayedToEnd) -> None:
    """Performs the step that lets both sides play their match on to its end."""
    if _client_has_ended(director, director.take_match_played()):
        return
    scene = director.scene
    match = await match_under_way(director)
    scene.allow(match)
    await director.until(lambda: scene.server.journal.has_record(match.id), MATCH_S, _too_long)


def _client_has_ended(director: Director, number: int) -> bool:
    """True if this match is over before the step that ends it: the client waits for no step, and its move can win."""
    return director.scene.match is None and number != 0 and director.scene.server.journal.has_record(number)


def _too_long() -> SituationNotReached:
    return SituationNotReached(f"the match was not over within {MATCH_S / 60:g} minutes")


async def resigns(director: Director, step: steps.Resigns) -> None:
    """Performs the act in which a player of the check gives its match up.

    In the client's turn the client's move may be on the way, which has to be refused before all else.
    """
    if _client_has_ended(director, director.take_match_played()):
        return
    scene, opponent = director.scene, director.opponent(step.player)
    match = await match_under_way(director)
    seat = match.seat_of(scene.client_name)

    def may_resign() -> bool:
        now = scene.match
        is_clients_turn = now is not None and now.phase is MatchPhase.PLAYING and now.turn.seats == (seat,)
        return now is None or now.id != match.id or is_clients_turn is step.in_clients_turn

    await director.until(may_resign, MATCH_S, _too_long)
    await opponent.send("forfeit")
    await director.until(lambda: scene.server.journal.has_record(match.id), _BEGIN_S, _too_long)
    if step.in_clients_turn:
        await director.settle()


async def is_late(director: Director, step: steps.IsLate) -> None:
    """Performs the step in which a player of the check lets its turn of a match run out. Its move comes after that."""
    scene, opponent = director.scene, director.opponent(step.player)
    match = await match_under_way(director)
    number, seat = match.id, match.seat_of(opponent.name)
    opponent.is_late = True

    def is_its_turn() -> bool:
        now = scene.match
        return now is None or (now.phase is MatchPhase.PLAYING and now.turn.seats == (seat,))

    def is_over() -> bool:
        now = scene.match
        return now is None or now.id != number or now.turn.seats != (seat,)

    await director.until(is_its_turn, MATCH_S, _too_long)
    await run_out(director, match, is_over)
    opponent.is_late = False
    if not is_over():
        raise SituationNotReached(f"the turn of {opponent.name} did not run out")
    # It answers late: else its next question, for whose answer the client waits, is held back for ten seconds.
    await opponent.move(match)


async def run_out(director: Director, match: Match, is_over: Callable[[], bool]) -> None:
    """Lets the turn time of a check's match run out, with no one waiting, until it is over or should have been."""
    clock = director.scene.clock
    # Twice the time and 5 s are more than a turn, its margin for late moves and any pause before it take.
    skipped_to_s = clock.skipped_s + 2 * (match.policies.clock.turn_time_ms or 0) / 1000 + 5
    while not is_over() and clock.skipped_s < skipped_to_s:
        await clock.skip(STEP_S)
        director.watch()


async def matches_until(director: Director, step: steps.MatchesUntil) -> None:
    """Performs the step that plays matches until something happens in one of them."""
    who = list(director.scene.opponents)[-1]
    for _ in range(step.count):
        await begin_match(director, who, director.game, "")
        await match_played_to_end(director, steps.MatchPlayedToEnd())
        record = director.scene.server.records()[-1]
        game = director.scene.server.games[record.game.lower()]
        if happened(record, game, director.name_of(step.who), step.event):
            return
    raise NotPlayable(
        f"in {step.count} matches it never happened that {step.who} {step.event.value}. A client may prevent that by "
        "the moves that it chooses, so this is no fault; another --seed may bring it about"
    )
