"""Names the rounds of a tournament, as its bracket does where it has one."""

from gameserver.tournaments.formats.knockout import stages
from gameserver.tournaments.model import Pairing, Tournament
from gameserver.tournaments.plan import Format


def round_name(tournament: Tournament, pairing: Pairing) -> str:
    """The round of a pairing, such as `Semi-final` or `round 3`; empty in an arena, which has none."""
    if tournament.plan.format is Format.ARENA:
        return ""
    return stages(tournament).get((pairing.round, pairing.board)) or f"round {pairing.round}"


def match_title(tournament: Tournament, match: int) -> tuple[str, str]:
    """The tournament's name, and the round in which this match is played: `Semi-final, game 2, best of 3`."""
    plan, pairing = tournament.plan, next((one for one in tournament.pairings if one.match == match), None)
    if pairing is None:
        return plan.name, ""
    game = f", game {pairing.game}, best of {plan.games}" if plan.is_bracket and plan.games > 1 else ""
    return plan.name, f"{round_name(tournament, pairing)}{game}"
