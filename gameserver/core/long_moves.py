"""Shortens long moves, so that the journal keeps only the part that the decision needs.

A legal move is written as its game writes it: `5` for `000...05`. An illegal one is cut, and kept
with the reason: what is left of it might be legal, so a replay must not ask the game again.
"""

from attrs import evolve

from gameserver.core.decide import decide
from gameserver.core.messages.commands import HOUSE_SESSION, Play
from gameserver.core.messages.events import MoveRefused, Rejected
from gameserver.core.messages.quoting import quoted
from gameserver.core.state.draft import Decision
from gameserver.core.state.lobby import At, Lobby


def shortened(lobby: Lobby, play: Play, at: At, decision: Decision) -> tuple[Play, Decision]:
    """The shortest command that leads to the same decision, and that decision."""
    if play.session == HOUSE_SESSION or not decision.changes:
        return play, decision
    if isinstance(decision.answer, Rejected):
        # A late answer: it is dropped, whatever its text.
        return evolve(play, move=quoted(play.move)), decision
    refused = next((event for _, event in decision.deliveries if isinstance(event, MoveRefused)), None)
    if refused is not None:
        cut = evolve(play, move=quoted(play.move), illegal=refused.why)
        return cut, decide(lobby, cut, at)
    spelled = _spelled(lobby, play, decision)
    if len(spelled) >= len(play.move):
        return play, decision
    short = evolve(play, move=spelled)
    again = decide(lobby, short, at)
    # A game whose spelling of a move is another move breaks its contract; such a move is kept as it was sent.
    return (short, again) if again.changes == decision.changes else (play, decision)


def _spelled(lobby: Lobby, play: Play, decision: Decision) -> str:
    """The move as its game writes it."""
    number = lobby.players[lobby.sessions[play.session]].match
    before = None if number is None else lobby.matches[number]
    assert before is not None, "nobody else's move is accepted"
    changed = (row for table, key, row in decision.changes if table == "matches" and key == number)
    after = next((match for match in (*changed, *decision.finished) if match is not None and match.id == number), None)
    assert after is not None, "an accepted move changes its match"
    spelled: str = after.games[before.game_number - 1].moves[len(before.moves)].text
    return spelled
