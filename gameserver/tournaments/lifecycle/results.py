"""Acts upon pairings: announce, begin, report, count as a no-show, void, hold, correct."""

import attrs

from gameserver.tournaments.acts import (
    SERVER,
    ActRefused,
    Begin,
    Correct,
    HoldPairing,
    NoShow,
    Pair,
    Report,
    VoidPairing,
)
from gameserver.tournaments.formats import knockout
from gameserver.tournaments.formats.history import History
from gameserver.tournaments.lifecycle.entrants import put_out, without_game
from gameserver.tournaments.model import EntrantStatus, Pairing, PairingStatus, Ruling, Tournament, Verdict


def pair(tournament: Tournament, act: Pair) -> Tournament:
    """Announce pairings, if nothing has happened since they were worked out that forbids them."""
    busy = {name for pairing in tournament.keeping for name in pairing.seats if not tournament.is_house(name)}
    known = {entrant.name for entrant in tournament.entrants} | {tournament.plan.stand_in}
    for number, pairing in enumerate(act.pairings, start=len(tournament.pairings) + 1):
        people = [name for name in pairing.seats if not tournament.is_house(name)]
        if (
            pairing.number != number
            or pairing.status is not PairingStatus.ANNOUNCED
            or not known.issuperset(pairing.seats)
        ):
            raise ActRefused("these pairings are out of date: work them out again")
        if any(name in busy for name in people):
            raise ActRefused(f"{' or '.join(people)} has a match already: work the pairings out again")
        if any(map(tournament.is_out, people)) and tournament.plan.is_open_to_all:
            raise ActRefused(f"{' or '.join(people)} is out by now: work the pairings out again")
        busy.update(people)
    new = tuple(
        without_game(tournament, pairing) if any(map(tournament.is_out, pairing.seats)) else pairing
        for pairing in act.pairings
    )
    rounds = [pairing.round for pairing in act.pairings] + [bye.round for bye in act.byes]
    paired = attrs.evolve(
        tournament,
        pairings=(*tournament.pairings, *new),
        byes=(*tournament.byes, *act.byes),
        round=max([tournament.round, *rounds]),
    )
    if _resting_on_others(paired) is not None:
        raise ActRefused("these pairings are out of date: a result that they rest on was struck out meanwhile")
    return paired


def begin(tournament: Tournament, act: Begin) -> Tournament:
    """The lobby has opened the match."""
    pairing = _found(tournament, act.pairing)
    if pairing.status is not PairingStatus.ANNOUNCED:
        raise ActRefused(f"pairing {pairing.number} is {pairing.status}: only an announced one can begin")
    begun = attrs.evolve(pairing, status=PairingStatus.PLAYING, match=act.match, side_by_side=act.side_by_side)
    return tournament.with_pairing(begun)


def report(tournament: Tournament, act: Report) -> Tournament:
    """The match has ended with a result."""
    pairing = _found(tournament, act.pairing)
    if pairing.status is not PairingStatus.PLAYING or pairing.match != act.match:
        raise ActRefused(f"pairing {pairing.number} is not being played as match {act.match}; its result is ignored")
    return tournament.with_pairing(
        attrs.evolve(pairing, status=PairingStatus.DONE, verdict=act.verdict, reason=act.reason, points=act.points)
    )


def no_show(tournament: Tournament, act: NoShow) -> Tournament:
    """The announced match waited in vain: lost by those who did not come, by both if neither did."""
    pairing = _found(tournament, act.pairing)
    absent = tuple(name for name in pairing.seats if name in act.absent)
    if pairing.status is not PairingStatus.ANNOUNCED:
        raise ActRefused(f"pairing {pairing.number} is {pairing.status}: nobody is waited for")
    if not absent or any(map(tournament.is_house, absent)):
        raise ActRefused(f"name the absent player of pairing {pairing.number}: {' or '.join(pairing.seats)}")
    verdict = (
        Verdict.BOTH_LOSE if len(absent) == 2 else Verdict.FIRST if absent[0] == pairing.seats[1] else Verdict.SECOND
    )
    done = attrs.evolve(
        pairing, status=PairingStatus.DONE, verdict=verdict, played=False, absent=absent, reason="no-show"
    )
    tournament, no_shows_max = tournament.with_pairing(done), tournament.plan.no_shows_max
    for name in absent:
        entrant = tournament.entrant(name)
        if entrant is not None and not entrant.is_out and tournament.missed_in_a_row(name) >= no_shows_max:
            why = f"not there {no_shows_max} times in a row"
            tournament = put_out(tournament, entrant, EntrantStatus.WITHDRAWN, act.by, why)
    return tournament


def void(tournament: Tournament, act: VoidPairing) -> Tournament:
    """Take a match out of the count; it will be announced again.

    Where the server's own faults have spoilt it too often, it counts as a draw that was not played, and
    the teacher can still correct that: a tournament must come to its end.
    """
    pairing = _found(tournament, act.pairing)
    if pairing.status not in (PairingStatus.PLAYING, PairingStatus.DONE, PairingStatus.HELD):
        raise ActRefused(f"pairing {pairing.number} is {pairing.status}: there is nothing to void")
    _check_why(act.by, act.why, "voided")
    tournament = tournament.ruled(Ruling("void", act.by, act.why, pairing=pairing.number))
    place = (pairing.round, pairing.board, pairing.game)
    before = sum(
        one.status is PairingStatus.VOID and one.match is not None and (one.round, one.board, one.game) == place
        for one in tournament.pairings
    )
    if act.by == SERVER and before + 1 >= tournament.plan.voids_max:
        spoilt = attrs.evolve(pairing, status=PairingStatus.DONE, verdict=Verdict.DRAW, played=False, reason=act.why)
        return tournament.with_pairing(spoilt)
    changed = tournament.with_pairing(attrs.evolve(pairing, status=PairingStatus.VOID, verdict=None, reason=act.why))
    return _holding_together(changed, pairing)


def hold(tournament: Tournament, act: HoldPairing) -> Tournament:
    """Leave a match for a person to decide: it is not played again by itself, and does not count.

    Its players go on with the others meanwhile; the tournament does not end before it is decided.
    """
    pairing = _found(tournament, act.pairing)
    if pairing.status is not PairingStatus.PLAYING:
        raise ActRefused(f"pairing {pairing.number} is {pairing.status}: only what is being played can be held")
    ruling = Ruling("held for the teacher to decide", SERVER, act.why, pairing=pairing.number, player=act.player)
    return tournament.ruled(ruling).with_pairing(attrs.evolve(pairing, status=PairingStatus.HELD, reason=act.why))


def correct(tournament: Tournament, act: Correct) -> Tournament:
    """Set a result by hand. Pairings that were made meanwhile stay as they are."""
    pairing = _found(tournament, act.pairing)
    if pairing.status is PairingStatus.PLAYING:
        raise ActRefused(f"pairing {pairing.number} is being played: wait for its end, or void it")
    if pairing.status is PairingStatus.VOID:
        raise ActRefused(f"pairing {pairing.number} was voided: correct the one that replaces it")
    _check_why(act.by, act.why, "corrected")
    ruling = Ruling(f"result set to {act.verdict}", act.by, act.why, pairing=pairing.number)
    changed = attrs.evolve(
        pairing,
        status=PairingStatus.DONE,
        verdict=act.verdict,
        played=pairing.played and pairing.match is not None,
        absent=(),
        reason=f"corrected: {act.why}",
    )
    return _holding_together(tournament.ruled(ruling).with_pairing(changed), pairing)


def _check_why(by: str, why: str, what: str) -> None:
    if by != SERVER and not why.strip():
        raise ActRefused(f"say why the result is {what}: the reason is shown with it")


def _holding_together(tournament: Tournament, pairing: Pairing) -> Tournament:
    """The tournament, if no encounter of a knockout has players now whom its results do not bring there."""
    now = _resting_on_others(tournament)
    if now is not None:
        raise ActRefused(
            f"{now.node.stage} between {' and '.join(now.games[0].seats)} rests on pairing {pairing.number}:"
            f" void pairing {now.games[0].number} first"
        )
    return tournament


def _resting_on_others(tournament: Tournament) -> knockout.NodeNow | None:
    """An encounter of a knockout that has begun between others than those whom the results bring there."""
    if not tournament.plan.is_bracket:
        return None
    nodes = knockout.nodes_now(History.of(tournament))
    return next((now for now in nodes if now.games and sorted(map(str, now.players)) != list(now.games[0].pair)), None)


def _found(tournament: Tournament, number: int) -> Pairing:
    if not 1 <= number <= len(tournament.pairings):
        raise ActRefused(f"there is no pairing {number} in this tournament")
    return tournament.pairings[number - 1]
