"""The outcome of a tournament's pairing explained: its match, who did not come, what was ruled.

Written for a teacher with a student at the desk, as `loss_explanation` is for a match.
"""

from collections.abc import Iterator, Sequence

from gameserver.records.attendance import NoShow
from gameserver.records.tournament_record import TournamentRecord, row_of
from gameserver.tournaments.knockout import round_name
from gameserver.tournaments.model import Entrant, Pairing
from gameserver.tournaments.view import result_lines


def explain_pairing(record: TournamentRecord, number: int, no_shows: Sequence[NoShow]) -> tuple[str, ...]:
    """The lines; empty if there is no such pairing. `no_shows` are those of the tournament."""
    pairing = next((one for one in record.pairings if one.number == number), None)
    return () if pairing is None else tuple(_pairing_lines(record, pairing, no_shows))


def explain_no_shows(record: TournamentRecord, no_shows: Sequence[NoShow]) -> tuple[str, ...]:
    """Every pairing of a tournament that was decided because a player was not there or out, and every withdrawal."""
    chosen = [one for one in record.pairings if one.absent or one.walkover]
    out = [one for one in record.entrants or () if one.is_out]
    if not chosen and not out:
        return (f"nobody missed a match of {record.name} (tournament {record.tournament})",)
    lines = [line for pairing in chosen for line in _pairing_lines(record, pairing, no_shows)]
    return (*lines, *(line for entrant in out for line in _of_withdrawal(record, entrant)))


def _of_withdrawal(record: TournamentRecord, entrant: Entrant) -> Iterator[str]:
    """A player who is out: by whose decision, and the games that count though nobody announced them."""
    name = entrant.name
    said = [one for _, one in record.rulings if (one.player, one.what) == (name, entrant.standing)]
    by = f" by {said[-1].by}{f': {said[-1].why}' if said[-1].why else ''}" if said else ""
    yield f"{name} is out of {record.name} (tournament {record.tournament}), {entrant.standing}{by}"
    for line in result_lines(row_of(record).state):
        if line.kind == "owed" and name in line.players:
            results = zip(line.players, line.results, strict=True)
            both = " - ".join(f"{player} ({result})" for player, result in results)
            yield f"  a game that was never announced counts: {both}"


def _pairing_lines(record: TournamentRecord, pairing: Pairing, no_shows: Sequence[NoShow]) -> Iterator[str]:
    verdict = "" if pairing.verdict is None else f", result: {pairing.verdict}"
    players = " - ".join(pairing.seats)
    name = round_name(row_of(record).state, pairing)
    where = f", {name}" if name else ""
    yield (
        f"pairing {pairing.number} of {record.name} (tournament {record.tournament}){where}: "
        f"{players}, {pairing.status}{verdict}"
    )
    if pairing.match:
        yield f"  it was match {pairing.match}, which `gameserver blame {pairing.match}` explains"
    if pairing.walkover:
        standings = {one.name: one.standing for one in record.entrants or ()}
        out = ", ".join(f"{name} ({standings.get(name, 'gone')})" for name in pairing.seats if _is_out(record, name))
        yield f"  no game was played, because a player was out: {out or 'by now let in again'}"
    if pairing.reason:
        yield f"  reason: {pairing.reason}"
    # A corrected result has no absent player any more, but the no-show was there.
    known = [one for one in reversed(no_shows) if one.decided.pairing == pairing.number]
    for one in known:
        yield from (f"  {line.strip()}" for line in one.lines)
    for _, ruling in record.rulings:
        if ruling.pairing == pairing.number or (ruling.player and ruling.player in pairing.seats):
            who = f" ({ruling.player})" if ruling.player else ""
            yield f"  ruling: {ruling.what}{who}, by {ruling.by}{f': {ruling.why}' if ruling.why else ''}"


def _is_out(record: TournamentRecord, name: str) -> bool:
    return any(one.name == name and one.is_out for one in record.entrants or ())
