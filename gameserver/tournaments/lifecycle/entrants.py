"""Acts upon the field: entering, leaving, being put out, and the draw at the start."""

import attrs

from gameserver.tournaments.acts import (
    SERVER,
    ActRefused,
    Disqualify,
    RegisterEntrant,
    StartTournament,
    WithdrawEntrant,
)
from gameserver.tournaments.formats.lots import lot
from gameserver.tournaments.model import (
    Entrant,
    EntrantStatus,
    Pairing,
    PairingStatus,
    Ruling,
    Tournament,
    TournamentPhase,
    Verdict,
)
from gameserver.tournaments.pairing import swiss
from gameserver.tournaments.plan import Draw, Format


def enter(tournament: Tournament, act: RegisterEntrant) -> Tournament:
    """Let a player in; a withdrawn one back in, with the results that it had."""
    name = act.player
    known = tournament.entrant(name)
    if name == tournament.plan.stand_in:
        raise ActRefused(f"{name} stands in for the odd seat in this tournament and cannot enter it as well")
    if known is not None and known.standing is EntrantStatus.DISQUALIFIED:
        raise ActRefused(f"{name} was disqualified from this tournament and cannot enter it again")
    if known is not None and not known.is_out:
        raise ActRefused(f"{name} is in this tournament already")
    if tournament.phase is not TournamentPhase.GATHERING:
        _check_late(tournament, name)
    if act.by != SERVER and tournament.phase is not TournamentPhase.GATHERING:
        tournament = tournament.ruled(Ruling("let in", act.by, act.why, player=name))
    if known is not None:
        return tournament.with_entrant(attrs.evolve(known, standing=EntrantStatus.IN))
    entrant = Entrant(name, rating=act.rating, house=act.house)
    if tournament.phase is not TournamentPhase.GATHERING:
        from_round = tournament.round + 1 if tournament.plan.format is Format.SWISS else 1
        last = max((one.number for one in tournament.entrants), default=0)
        entrant = attrs.evolve(entrant, number=last + 1, from_round=from_round)
    return attrs.evolve(tournament, entrants=(*tournament.entrants, entrant))


def _check_late(tournament: Tournament, name: str) -> None:
    if tournament.plan.is_bracket:
        raise ActRefused(f"{name} is too late: the places of a {tournament.plan.format} are fixed by its draw")
    if not tournament.plan.late_entry:
        raise ActRefused(f"{name} is too late: this tournament admits nobody after its start")


def withdraw(tournament: Tournament, act: WithdrawEntrant) -> Tournament:
    """Take a player out. What is being played goes on; what was only announced is not played any more."""
    entrant = _present(tournament, act.player)
    if tournament.phase is TournamentPhase.GATHERING:
        return attrs.evolve(tournament, entrants=tuple(e for e in tournament.entrants if e is not entrant))
    return put_out(tournament, entrant, EntrantStatus.WITHDRAWN, act.by, act.why)


def disqualify(tournament: Tournament, act: Disqualify) -> Tournament:
    """Disqualify a player for good."""
    if not act.why.strip():
        raise ActRefused(f"say why {act.player} is disqualified: the reason is shown with the standings")
    entrant = tournament.entrant(act.player)
    if entrant is None or entrant.standing is EntrantStatus.DISQUALIFIED:
        entrant = _present(tournament, act.player)
    return put_out(tournament, entrant, EntrantStatus.DISQUALIFIED, act.by, act.why)


def _present(tournament: Tournament, name: str) -> Entrant:
    entrant = tournament.entrant(name)
    if entrant is None:
        raise ActRefused(f"{name} is not in this tournament")
    if entrant.is_out:
        raise ActRefused(f"{name} is out of this tournament already ({entrant.standing})")
    return entrant


def put_out(tournament: Tournament, entrant: Entrant, standing: EntrantStatus, by: str, why: str) -> Tournament:
    """Mark a player as out, and see to the matches that were announced."""
    tournament = tournament.with_entrant(attrs.evolve(entrant, standing=standing))
    tournament = tournament.ruled(Ruling(standing.value, by, why, player=entrant.name))
    for pairing in tournament.pairings:
        if pairing.status is PairingStatus.ANNOUNCED and entrant.name in pairing.seats:
            tournament = tournament.with_pairing(without_game(tournament, pairing))
    return tournament


def without_game(tournament: Tournament, pairing: Pairing) -> Pairing:
    """An announced pairing as it ends when a player of it is out.

    Where the opponent was to meet just this player, it is a win without a game. If both are out, both lose it;
    in a knockout, whose tree needs somebody to go on, the better seed wins. Where everybody meets everybody, or
    anybody, it is dropped: the plan's effects say what it counts for.
    """
    if tournament.plan.is_open_to_all:
        return attrs.evolve(pairing, status=PairingStatus.VOID, reason="a player is out")
    out = [tournament.is_out(name) for name in pairing.seats]
    verdict = Verdict.SECOND if out[0] else Verdict.FIRST
    if all(out) and tournament.plan.is_bracket:
        numbers = {entrant.name: entrant.number for entrant in tournament.entrants}
        first, second = pairing.seats
        verdict = Verdict.FIRST if numbers[first] < numbers[second] else Verdict.SECOND
    elif all(out):
        verdict = Verdict.BOTH_LOSE
    return attrs.evolve(pairing, status=PairingStatus.DONE, verdict=verdict, played=False, walkover=True)


def start(tournament: Tournament, act: StartTournament) -> Tournament:
    """Make the draw, and begin."""
    plan = tournament.plan
    if len(tournament.entrants) < 2:
        raise ActRefused(f"a tournament needs at least two players; {len(tournament.entrants)} entered")
    missing = [name for name in plan.champions if tournament.entrant(name) is None]
    if plan.format is Format.GAUNTLET and missing:
        raise ActRefused(f"the gauntlet is run against {', '.join(missing)}, who did not enter")
    if plan.format is Format.GAUNTLET and len(set(plan.champions)) >= len(tournament.entrants):
        raise ActRefused("a gauntlet needs a challenger besides its champions")
    rated = (attrs.evolve(one, rating=one.rating or act.ratings.get(one.name, 0)) for one in tournament.entrants)
    entrants = _drawn(attrs.evolve(tournament, entrants=tuple(rated)))
    if plan.format is Format.ROUND_ROBIN and plan.stand_in and len(entrants) % 2:
        entrants = (*entrants, Entrant(plan.stand_in, len(entrants) + 1, house=True))
    rounds = plan.rounds or swiss.rounds_needed(len(entrants)) if plan.format is Format.SWISS else 0
    ends_ms = act.now_ms + plan.duration_ms if plan.format is Format.ARENA else None
    return attrs.evolve(tournament, phase=TournamentPhase.RUNNING, entrants=entrants, rounds=rounds, ends_ms=ends_ms)


def _drawn(tournament: Tournament) -> tuple[Entrant, ...]:
    """The entrants in the order of their new numbers. By rating: those without one come last, by lot among equals."""
    entrants = tournament.entrants
    if tournament.plan.draw is not Draw.ENTRY:
        by_rating = tournament.plan.draw is Draw.RATING
        entrants = tuple(
            sorted(entrants, key=lambda one: (-one.rating * by_rating, lot(tournament.seed, "number", one.name)))
        )
    return tuple(attrs.evolve(entrant, number=number) for number, entrant in enumerate(entrants, start=1))
