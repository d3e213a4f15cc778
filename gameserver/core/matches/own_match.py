"""Answers a player's queries about their own match. Nothing here writes."""

from gameserver.core.matches import referee
from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import ShowBoard, ShowMatch
from gameserver.core.messages.events import Accepted, Answer, BoardShown, MatchStanding, Rejected
from gameserver.core.messages.rejections import Code
from gameserver.core.state.draft import Draft
from gameserver.core.state.lobby import Lobby, Player
from gameserver.core.state.match import Match, MatchPhase


def show_own_match(draft: Draft, command: ShowMatch) -> Answer:
    """Answer with the standing of the player's match."""
    found = _own_match(draft, command.session)
    if isinstance(found, Rejected):
        return found
    match, seat = found
    left_ms = match.clock.held(draft.at.now_ms).left_ms
    standing = MatchStanding(match.id, match.game.name, match.players, seat, match.awaited_seats, left_ms)
    draft.tell(command.session, standing)
    return Accepted()


def show_board(draft: Draft, command: ShowBoard) -> Answer:
    """Answer with the position of the player's match, as the player may see it.

    A fault of the game ends no match here: a player must not get out of one by asking.
    """
    found = _own_match(draft, command.session)
    if isinstance(found, Rejected):
        return found
    match, seat = found
    try:
        lines = referee.board(match, seat)
        shown = (
            _with_picture(match, seat, lines, is_small=command.is_small)
            if command.with_picture
            else BoardShown(match.id, lines)
        )
    except referee.GameFault as fault:
        draft.faults.append(fault.why)
        return Rejected(Code.SERVER_FAULT, {"why": "the game could not show its board; the match goes on"})
    draft.tell(command.session, shown)
    return Accepted()


MOVES_SHOWN_MAX = 200
"""The most legal moves that are listed: a code of Mastermind may be one of millions."""


def _with_picture(match: Match, seat: int, lines: tuple[str, ...], *, is_small: bool) -> BoardShown:
    is_to_act = match.phase is MatchPhase.PLAYING and seat in match.turn.seats and seat not in match.withheld_seats
    moves, total = referee.first_moves(match, seat, MOVES_SHOWN_MAX) if is_to_act else ((), 0)
    return BoardShown(
        match=match.id,
        lines=lines,
        game=match.game.name,
        step=len(match.moves),
        picture=referee.picture(match, seat, is_small=is_small),
        moves=moves,
        moves_total=total,
        sides=referee.sides(match, seat),
        awaited=match.awaited_seats,
        turn=match.turn.number,
        prompt=referee.prompts(match)[match.turn.seats.index(seat)] if is_to_act else "",
        deadline_ms=match.clock.deadline_ms,
    )


def has_seat_waiting(lobby: Lobby, player: Player) -> bool:
    """True if a seat waits for a player who takes it back by sitting down in its room: another match has to wait."""
    return Capability.ROOMS in player.capabilities and player.match is None and player.name in lobby.seated


def _own_match(draft: Draft, session: int) -> tuple[Match, int] | Rejected:
    """The match of a session's player, and the seat in it."""
    player = draft.player_of(session)
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    if player.match is None:
        return Rejected(Code.NOT_IN_MATCH, {"player": player.name})
    match = draft.matches[player.match]
    return match, match.seat_of(player.name)
