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
    """The tournament's name, and the name of the round in which this match is played."""
    pairing = next((one for one in tournament.pairings if one.match == match), None)
    return tournament.plan.name, "" if pairing is None else round_name(tournament, pairing)
