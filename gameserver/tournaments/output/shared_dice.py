"""Games that share their dice, and a warning of what that gives away.

With `same_chance` the two games of a pair, one in each seat order, have the same dice, code or opening,
which takes luck out of the comparison. It is fair only if both begin before either has shown a draw. A
player's protocol carries one match at a time, so the games of people follow each other, and a bot that
keeps the rolls of the first game knows those of the second. House players keep nothing, and have any
number of matches at once: where only they take part, both games begin together.
"""

from collections.abc import Mapping

from gameserver.tournaments.model import Pairing, PairingStatus, Tournament, TournamentPhase

WARNING = (
    "same_chance: where the game has dice, both games of a pair have the same, and the second follows the first. "
    "A bot that keeps the rolls of its first game knows those of the second."
)


def warnings(tournament: Tournament) -> tuple[str, ...]:
    """Sentences about a tournament's dice, to be read before its results are believed."""
    plan = tournament.plan
    if not plan.same_chance:
        return ()
    is_drawn = tournament.phase is not TournamentPhase.GATHERING
    if is_drawn and plan.has_fixtures and all(entrant.house for entrant in tournament.entrants):
        return ()
    return (WARNING,)


def sharing_dice(tournament: Tournament) -> Mapping[int, bool]:
    """The pairings, by number, that have their dice in common with another one that counts or may still count.

    The value is True if all of them began together. The replay of a voided game begins after its counterpart.
    """
    sharing: dict[str, list[Pairing]] = {}
    for pairing in tournament.pairings:
        if pairing.status is not PairingStatus.VOID and pairing.chance:
            sharing.setdefault(pairing.chance, []).append(pairing)
    return {
        pairing.number: all(one.side_by_side for one in games)
        for games in sharing.values()
        if len(games) > 1
        for pairing in games
    }
