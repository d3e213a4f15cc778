"""The chance of matches and tournaments on record: as rows for whoever checks it, and checked.

A row is JSON with what `kind` names: an epoch of the server, a tournament, or a match. Rows of matches have all that
is needed to verify them by themselves. docs/fairness.md has the rule, and all fields.

Whatever is verified may be made up by a stranger, and ends in a sentence, never in a traceback or a loop. Seats of a
tournament are verified where no earlier result bears on them: what is on record now may have been corrected since.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count, pairwise
from typing import Any

import orjson
from attrs import evolve, fields

from gameserver import chance
from gameserver.chance import Contributions, commitment, lot
from gameserver.records.match_record import DrawRecord, EpochRecord, MatchRecord
from gameserver.records.tournament_record import CONVERTER, TournamentRecord, row_of
from gameserver.tournaments.history import chance_label, pair_of
from gameserver.tournaments.model import LET_IN, PAIR_LABEL, PairingStatus
from gameserver.tournaments.plan import Draw, Format
from gameserver.tournaments.standings import standings
from gameserver.tournaments.swiss import near
from gameserver.values import value


@value
class ChanceRow:
    """The chance of a match as it is exported: everything from which its draws follow, and the draws."""

    match: int
    game: str
    ended_at: str
    players: tuple[str, ...]
    """By seat."""
    tournament: int | None
    seed_commitment: str
    seed: str
    """Empty until it is told."""
    chance_key: str
    commitment: str
    key: str
    """Empty until it is told."""
    contributions: Contributions
    draws: tuple[DrawRecord, ...]


class ChanceFault(Exception):
    """Raised where what is on record does not follow from what was committed to; the text is a sentence."""


class NotTold(Exception):
    """Raised where a secret of what is on record is not told yet; the text is a sentence."""


Chance = EpochRecord | TournamentRecord | ChanceRow
_KINDS: Mapping[str, type[Chance]] = {"epoch": EpochRecord, "tournament": TournamentRecord, "match": ChanceRow}
_FROM_RECORD = [one.name for one in fields(ChanceRow) if one.name not in {"players", "seed"}]


def chance_of(record: MatchRecord, seeds: Mapping[str, str]) -> ChanceRow:
    """The chance of a match on record, for the export; `seeds` are those that were told, by their SHA-256."""
    players, seed = tuple(seat.player for seat in record.seats), seeds.get(record.seed_commitment, "")
    return ChanceRow(players=players, seed=seed, **{name: getattr(record, name) for name in _FROM_RECORD})


def chance_rows(found: Iterable[Chance]) -> Iterator[Mapping[str, Any]]:
    """A row of the export for each epoch, tournament and match."""
    for one in found:
        kind = next(kind for kind, each in _KINDS.items() if isinstance(one, each))
        row = {"kind": kind, **CONVERTER.unstructure(one)}
        if isinstance(one, TournamentRecord):
            row |= {"plan": orjson.loads(one.plan), "standings": _standings(one)}
        yield row


def _standings(record: TournamentRecord) -> list[dict[str, Any]]:
    """The standings, once the seed of their lots is told."""
    lines = standings(row_of(record).state) if record.seed else ()
    return [{"rank": line.rank, "player": line.name, "points": line.points, "why": line.why} for line in lines]


def read_rows(lines: Iterable[bytes]) -> Iterator[Chance]:
    """Reads the rows of an exported file again. Raises `ChanceFault`."""
    for number, line in enumerate(lines, start=1):
        try:
            row = orjson.loads(line)
            plan = {"plan": orjson.dumps(row["plan"]).decode()} if row["kind"] == "tournament" else {}
            found = CONVERTER.structure({**row, **plan}, _KINDS[row["kind"]])
            shown = _standings(found) if isinstance(found, TournamentRecord) else None
        # Whatever a stranger's file has in the place of a field.
        except Exception as error:
            message = f"line {number} is not what `gameserver export chance` writes"
            raise ChanceFault(message) from error
        said = f"line {number}: the standings do not follow from the tournament's results and lots"
        _must(shown == row.get("standings", shown), said)
        yield found


def verify(found: Iterable[Chance]) -> str:
    """Verifies the chance of matches and tournaments, and where epochs are given, that no match is missing.

    Gives a clause that says how much there was. Raises `ChanceFault`.
    """
    epochs: list[EpochRecord] = []
    tournaments: dict[int | None, TournamentRecord] = {}
    matches: dict[int, ChanceRow] = {}
    draws = untold = 0
    for one in found:
        if isinstance(one, EpochRecord):
            epochs.append(one)
        elif isinstance(one, TournamentRecord):
            tournaments[one.tournament] = one
        else:
            _must(one.match not in matches, f"match {one.match} is there twice")
            # Without the draws, which are far more than all else.
            matches[one.match] = evolve(one, draws=())
            try:
                draws += verify_match(one)
            except NotTold:
                untold += 1
    _verify_labels(matches.values())
    for tournament in tournaments.values():
        _verify_lots(tournament)
        _verify_labels_of(tournament)
        _verify_pairings(tournament, matches)
    if epochs:
        for one in matches.values():
            _must(
                one.tournament in {None, *tournaments}, f"tournament {one.tournament} of match {one.match} is missing"
            )
        pairings = (pairing for one in tournaments.values() for pairing in one.pairings)
        live = {pairing.match for pairing in pairings if pairing.status is PairingStatus.PLAYING}
        _verify_epochs(sorted(epochs, key=lambda epoch: epoch.number), matches, live)
    told = f"{draws} draws of {len(matches) - untold} matches as committed"
    return f"{told}; the secrets of {untold} more are not told yet" if untold else told


def _must(holds: object, otherwise: str) -> None:
    if not holds:
        raise ChanceFault(otherwise)


def verify_match(one: ChanceRow) -> int:
    """Verifies the draws of an exported match by itself, and gives their number. Raises `ChanceFault`, `NotTold`."""
    name = f"match {one.match}"
    if one.commitment and not one.key:
        raise NotTold(f"{name}: its secret is told when no other match can have the same chance")
    try:
        if one.seed:
            _must(commitment(one.seed) == one.seed_commitment, f"{name}: its seed is not the one that was committed to")
            made = chance.match_key(one.seed, one.chance_key)
            _must(made == one.key, f"{name}: its secret does not follow from its seed")
        _must(commitment(one.key) == one.commitment, f"{name}: its secret is not the one that was committed to")
        key = chance.draw_key(one.key, one.contributions)
    # Digits that are none, or a name that is too long for two bytes.
    except (ValueError, OverflowError) as error:
        raise ChanceFault(f"{name}: its chance cannot be read: {error}") from error
    is_own = one.tournament is not None or one.chance_key == str(one.match)
    _must(is_own, f"{name}: its chance is that of {one.chance_key!r}, not its own")
    added = [player for player, _ in one.contributions]
    _must(len(set(added)) == len(added) and {*added} <= {*one.players}, f"{name}: {added} cannot all have contributed")
    numbers = {purpose: count() for purpose in ("seats", "draw", "late")}
    for draw in one.draws:
        called = f"{name}: draw {draw.n} of {draw.purpose!r}"
        _must(draw.purpose in numbers and draw.n == next(numbers[draw.purpose]), f"{called} is out of order")
        _must(0 < draw.sides <= chance.SIDES_MAX, f"{called} cannot have {draw.sides} sides")
        made_value = 1 + chance.number_below(draw.sides, key, draw.purpose, draw.n)
        _must(draw.value == made_value, f"{called} is {draw.value}, but {made_value} was committed to")
    lots = [draw.value for draw in one.draws if draw.purpose == "seats"]
    sides = [draw.sides for draw in one.draws if draw.purpose == "seats"]
    by_name = sorted(one.players, key=str.encode)
    fits = sides == list(range(len(by_name), 1, -1)) and chance.in_drawn_order(by_name, lots) == one.players
    _must(fits or not lots, f"{name}: its seats are not those that the lots give")
    return len(one.draws)


def _verify_labels(matches: Iterable[ChanceRow]) -> None:
    first: dict[tuple[str, str], ChanceRow] = {}
    for one in matches:
        before = first.setdefault((one.seed_commitment, one.chance_key), one)
        is_pair = one.chance_key.startswith(PAIR_LABEL) and one.contributions == before.contributions
        _must(before is one or is_pair, f"match {one.match}: its chance was that of match {before.match} already")


def _verify_lots(record: TournamentRecord) -> None:
    state, name, seed = row_of(record).state, f"tournament {record.tournament}", record.seed
    if not seed:
        return
    _must(commitment(seed) == record.commitment, f"{name}: its seed is not the one that was committed to")
    plan, numbers = state.plan, {one.name: one.number for one in state.entrants}
    late = {plan.stand_in, *(ruling.player for ruling in state.rulings if ruling.what == LET_IN)}
    drawn = sorted((one for one in state.entrants if one.number and one.name not in late), key=lambda one: one.number)
    for one, other in pairwise(drawn if plan.draw is not Draw.ENTRY else ()):
        lots = [(-each.rating * (plan.draw is Draw.RATING), lot(seed, "number", each.name)) for each in (one, other)]
        _must(lots[0] < lots[1], f"{name}: by lot {other.name} comes before {one.name}")
    begun = dict.fromkeys(player for pairing in state.pairings if pairing.round == 1 for player in pairing.seats)
    is_paired_whole = near(len(begun) + 2) == len(begun) + 2
    for bye in state.byes if is_paired_whole else ():
        fits = bye.round > 1 or all(numbers.get(each, 0) <= numbers.get(bye.player, 0) for each in begun)
        _must(fits, f"{name}: {bye.player} had the bye of round 1 without the highest number")
    seen: set[str] = {plan.stand_in}
    for pairing in state.pairings:
        first, second = pairing.seats
        if seen.isdisjoint(pairing.seats):
            by_seat = lot(seed, "seat", first) < lot(seed, "seat", second)
            is_lower_first = numbers.get(first, 0) < numbers.get(second, 0)
            by_board = is_lower_first is bool((pairing.board + lot(seed, "seats", "")) % 2)
            fits = {Format.ARENA: by_seat, Format.SWISS: by_board or pairing.round > 1}.get(plan.format, True)
            _must(fits, f"{name}: in pairing {pairing.number} the lot gives {second} the first seat")
        seen.update(pairing.seats)


def _verify_labels_of(record: TournamentRecord) -> None:
    """Verify that the label of each pairing is the one that its meeting must have, by what was voided before it."""
    voided: Counter[str] = Counter()
    state = row_of(record).state
    is_shared = state.plan.same_chance
    for pairing in state.pairings:
        pair = pair_of(*pairing.seats)
        first = chance_label(pair, pairing.meeting, 0, is_shared=is_shared)
        # A game that is played again has the label of its counterpart, if that was played with it.
        labels = {
            chance_label(pair, pairing.meeting, attempt, is_shared=is_shared) for attempt in range(voided[first] + 1)
        }
        said = f"tournament {record.tournament}: the label of pairing {pairing.number} is not that of its meeting"
        _must(not pairing.chance or pairing.chance in labels, said)
        voided[first] += pairing.status is PairingStatus.VOID


def _verify_pairings(record: TournamentRecord, matches: Mapping[int, ChanceRow]) -> None:
    name = f"tournament {record.tournament}"
    paired = {one.match: one for one in record.pairings if one.match}
    for one in matches.values():
        is_known = one.tournament != record.tournament or one.match in paired
        _must(is_known, f"{name}: match {one.match} is none of its pairings")
    for number, pairing in paired.items():
        found = matches.get(number)
        _must(found or pairing.status is not PairingStatus.DONE, f"{name}: match {number} is missing")
        if found:
            is_own = (found.seed_commitment, found.chance_key) == (record.commitment, pairing.chance)
            fits = found.players == pairing.seats and (is_own or found.chance_key == str(number))
            _must(fits, f"match {number}: its seats or its chance are not those of pairing {pairing.number} of {name}")


def _verify_epochs(
    epochs: Sequence[EpochRecord], matches: Mapping[int, ChanceRow], live: Collection[int | None]
) -> None:
    """`live` are the matches of tournaments that are not on record yet."""
    for one, following in pairwise(epochs):
        fits = (following.number, following.first_match - 1) == (one.number + 1, one.last_match)
        said = f"epoch {one.number} ends with match {one.last_match}"
        _must(fits, f"{said}, but epoch {following.number} begins with match {following.first_match}")
    for one in epochs:
        _must(
            not one.seed or commitment(one.seed) == one.commitment, f"epoch {one.number}: another seed was committed to"
        )
        for number in range(one.first_match, 1 + (one.last_match or 0) if one.seed else 0):
            said = f"epoch {one.number} has the matches {one.first_match} to {one.last_match}"
            _must(number in matches or number in live, f"match {number} is missing: {said}")
    latest = max(matches, default=0)
    ends = {one.commitment: latest if one.last_match is None else one.last_match for one in epochs}
    ranges = {one.commitment: range(one.first_match, 1 + ends[one.commitment]) for one in epochs}
    for match in matches.values():
        fits = match.chance_key != str(match.match) or match.match in ranges.get(match.seed_commitment, ())
        _must(fits, f"match {match.match}: its seed is not that of the epoch in which it was opened")
