"""The chance of matches and tournaments on record: as rows for whoever checks it, and checked.

A row is JSON with what `kind` names: an epoch of the server, a tournament, or a match. Rows of matches have all that
is needed to verify them by themselves. docs/fairness.md has the rule, and all fields.

Whatever is verified may be made up by a stranger, and ends in a sentence, never in a traceback or a loop. Seats of a
tournament are verified where no earlier result bears on them: what is on record now may have been corrected since.

Each draw follows from its place, but where the draws of a match end only its game can tell. So a match is replayed by
the rules that are installed, fed with its draws: these must be all that the rules ask for.
"""

from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count, pairwise
from typing import Any, BinaryIO

import orjson
from attrs import evolve, fields

from gameserver import chance
from gameserver.chance import Contributions, commitment, lot
from gameserver.core.events import By, EndReason, SeatsBy
from gameserver.core.identity import WHY_LENGTH_MAX, quoted
from gameserver.exports.matches import PRUNED, NotReadable, known_game, read_options
from gameserver.game import Game, Outcome, State
from gameserver.records.match_record import DrawRecord, EpochRecord, GameRecord, MatchRecord
from gameserver.records.tournament_record import CONVERTER, TournamentRecord, row_of
from gameserver.tournaments.history import chance_label, pair_of
from gameserver.tournaments.model import LET_IN, PAIR_LABEL, PairingStatus
from gameserver.tournaments.plan import Draw, Format
from gameserver.tournaments.stages import grouped
from gameserver.tournaments.standings import standings
from gameserver.tournaments.swiss import near
from gameserver.tournaments.teams import drawn_apart
from gameserver.values import value

# Judgement: a tournament of 100,000 pairings takes 30 MB.
_LINE_BYTES_MAX = 64 * 2**20
"""The most of a line that is read, so that a stranger's file cannot fill the memory. The rest is no row."""

Games = Mapping[str, Game[Any]]
"""The games that are installed, by name in lower case."""


@value
class GameRow:
    """A game of a match as it is exported: all but the draws that a replay needs, and what it must come to."""

    game: str
    game_version: int
    reason: str
    points: tuple[int, ...]
    winners: tuple[int, ...]
    moves: tuple[tuple[int, str, By], ...]
    """The seat, the move, and its author: a player, or the server in a late player's place."""


@value
class ChanceRow:
    """The chance of a match as it is exported: everything from which its draws follow, and the draws."""

    match: int
    game: str
    game_version: int
    options: str
    """JSON."""
    ended_at: str
    reason: str
    players: tuple[str, ...]
    """By seat."""
    seats_by: SeatsBy
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
    games: tuple[GameRow, ...]
    """The games that were begun."""
    moves_pruned: int = 0
    """The number of moves that were removed from the records, and with them all draws but those of the seats."""


class ChanceFault(Exception):
    """Raised where what is on record does not follow from what was committed to; the text is a sentence."""


class NotTold(Exception):
    """Raised where a secret of what is on record is not told yet; the text is a sentence."""


Chance = EpochRecord | TournamentRecord | ChanceRow
_KINDS: Mapping[str, type[Chance]] = {"epoch": EpochRecord, "tournament": TournamentRecord, "match": ChanceRow}
_FROM_RECORD = [one.name for one in fields(ChanceRow) if one.name not in {"players", "seed", "games"}]
_GAME_FROM_RECORD = [one.name for one in fields(GameRow) if one.name != "moves"]


def chance_of(record: MatchRecord, seeds: Mapping[str, str]) -> ChanceRow:
    """The chance of a match on record, for the export; `seeds` are those that were told, by their SHA-256."""
    players, seed = tuple(seat.player for seat in record.seats), seeds.get(record.seed_commitment, "")
    games = tuple(_game_row(record, one) for one in record.games)
    told = {name: getattr(record, name) for name in _FROM_RECORD}
    return ChanceRow(players=players, seed=seed, games=games, **told)


def _game_row(record: MatchRecord, game: GameRecord) -> GameRow:
    moves = [one for one in record.moves if one.game == game.number and one.seat is not None]
    made = tuple((one.seat or 0, one.move, By(one.by)) for one in moves)
    return GameRow(moves=made, **{name: getattr(game, name) for name in _GAME_FROM_RECORD})


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


def read_rows(file: BinaryIO) -> Iterator[Chance]:
    """Reads the rows of an exported file again. Raises `ChanceFault`."""
    for number, line in enumerate(iter(lambda: file.readline(_LINE_BYTES_MAX), b""), start=1):
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


def verify(found: Iterable[Chance], games: Games) -> str:
    """Verifies the chance of matches and tournaments, and where epochs are given, that no match is missing.

    Matches are replayed as far as the installed `games` can. Gives a clause that says how much there was. Raises
    `ChanceFault`.
    """
    epochs: list[EpochRecord] = []
    tournaments: dict[int | None, TournamentRecord] = {}
    matches: dict[int, ChanceRow] = {}
    draws = untold = unplayed = pruned = 0
    for one in found:
        if isinstance(one, EpochRecord):
            epochs.append(one)
        elif isinstance(one, TournamentRecord):
            tournaments[one.tournament] = one
        else:
            _must(one.match not in matches, f"match {one.match} is there twice")
            # Without the draws and the moves, which are far more than all else.
            matches[one.match] = evolve(one, draws=(), games=())
            try:
                draws += verify_match(one)
                replay(one, games)
            except NotTold:
                untold += 1
            except NotReadable:
                pruned += bool(one.moves_pruned)
                unplayed += not one.moves_pruned
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
    told = draws_as_committed(draws, len(matches) - untold)
    told += f"; the moves of {pruned} of them were pruned from the records" if pruned else ""
    told += f"; the games installed here cannot replay {unplayed} of them" if unplayed else ""
    return f"{told}; the secrets of {untold} more are not told yet" if untold else told


def draws_as_committed(draws: int, matches: int | None = None) -> str:
    """The clause on so many draws that are as they must be, of so many matches."""
    of_matches = "" if matches is None else f" of {matches} {'match' if matches == 1 else 'matches'}"
    return f"{draws} {'draw' if draws == 1 else 'draws'}{of_matches} as committed"


def _must(holds: object, otherwise: str) -> None:
    if not holds:
        raise ChanceFault(otherwise)


def _is_committed(seed: str, committed: str) -> bool:
    try:
        return commitment(seed) == committed
    except ValueError:
        return False


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
    if one.seats_by is SeatsBy.DRAWN:
        sides = [draw.sides for draw in one.draws if draw.purpose == "seats"]
        by_name = sorted(one.players, key=str.encode)
        fits = sides == list(range(len(by_name), 1, -1)) and chance.in_drawn_order(by_name, lots) == one.players
        _must(fits, f"{name}: its seats are not those that the lots give")
    else:
        _must(not lots, f"{name}: its seats were drawn, but are said to be given by {one.seats_by.value!r}")
    by_tournament = one.seats_by is SeatsBy.TOURNAMENT
    is_known = one.seats_by is not SeatsBy.UNKNOWN and by_tournament is (one.tournament is not None)
    _must(is_known, f"{name}: its seats cannot be given by {one.seats_by.value!r}")
    return len(one.draws)


def replay(one: ChanceRow, games: Games) -> None:
    """Replays an exported match by its game's rules, which must ask for exactly its draws, and lead to its outcome.

    Raises `ChanceFault`, and `NotReadable` where the installed games cannot replay it.
    """
    name = f"match {one.match}"
    if one.moves_pruned:
        is_left = any(draw.purpose != "seats" for draw in one.draws) or any(row.moves for row in one.games)
        _must(not is_left, f"{name}: its moves are said to be pruned, and some are there")
        raise NotReadable(PRUNED)
    draws = _Draws(
        dice=deque(draw for draw in one.draws if draw.purpose == "draw"),
        late=deque(draw for draw in one.draws if draw.purpose == "late"),
    )
    game = known_game(one.game, one.game_version, games)
    options = read_options(game, one.options)
    try:
        is_over = _replay_games(name, one, game, options, draws)
    except (ChanceFault, NotReadable):
        raise
    # A stranger's moves may take a game's code anywhere.
    except Exception as error:
        why = quoted(" ".join(f"{type(error).__name__}: {error}".split()), WHY_LENGTH_MAX)
        raise ChanceFault(f"{name} cannot be replayed by the rules of {one.game}: {why}") from error
    _must(is_over or one.reason != EndReason.PLAYED, f"{name}: it was played out, but games are missing")
    for draw in (*draws.dice, *draws.late):
        raise ChanceFault(f"{name}: draw {draw.n} of {draw.purpose!r} is one more than the rules of {one.game} ask for")


@value
class _Draws:
    """The draws of a match that its rules have not asked for yet."""

    dice: deque[DrawRecord]
    late: deque[DrawRecord]


def _taken(due: deque[DrawRecord], at: str, purpose: str, sides: int) -> int:
    """Take the next of the draws that are due, for a replay whose rules draw from so many sides."""
    _must(due, f"{at}: a draw of {purpose!r} is missing, which the rules ask for")
    draw = due.popleft()
    _must(draw.sides == sides, f"{at}: draw {draw.n} of {purpose!r} is from {draw.sides} sides, the rules have {sides}")
    return draw.value


def _replay_games(name: str, one: ChanceRow, game: Game[Any], options: Any, draws: _Draws) -> bool:
    """Replay all games of a match. Gives True if no other one would follow."""
    series = game.series(options)
    following = (game, options) if series is None else series.next_game
    for number, row in enumerate(one.games, start=1):
        at = f"{name}, game {number}"
        asked = None if following is None else following[0].name
        _must(asked == row.game, f"{at}: it is {row.game}, the rules ask for {asked or 'none'}")
        assert following is not None, "a name was asked for"
        known_game(row.game, row.game_version, {row.game.lower(): following[0]})
        outcome = _replay_game(at, row, *following, draws)
        series = None if series is None else series.after(outcome)
        following = None if series is None else series.next_game
    return following is None


def _replay_game(at: str, row: GameRow, game: Game[Any], options: Any, draws: _Draws) -> Outcome:
    state = _drawn(at, game.start(options), draws)
    for number, (seat, text, by) in enumerate(row.moves, start=1):
        move_at = f"{at}, move {number}"
        _must(state.outcome is None, f"{move_at}: the game was over before")
        _must(seat in state.turn.seats, f"{move_at}: seat {seat} was not to act")
        if by is By.SERVER:
            legal = state.legal_moves(seat)
            made = game.write_move(legal[_taken(draws.late, move_at, "late", len(legal)) - 1])
            _must(text == made, f"{move_at}: it is not the one that was drawn, {made!r}")
        state = _drawn(move_at, state.play(seat, game.read_move(text)), draws)
    told, outcome = Outcome(row.points, row.winners), state.outcome
    if row.reason != EndReason.PLAYED:
        _must(outcome is None, f"{at}: by the rules it was played out")
        return told
    _must(outcome is not None, f"{at}: by the rules it goes on after its last move")
    fits = outcome is not None and (outcome.points, outcome.winners) == (told.points, told.winners)
    _must(
        fits, f"{at}: by the rules it ends otherwise than with the points {told.points} and the winners {told.winners}"
    )
    return outcome or told


def _drawn(at: str, state: State[Any], draws: _Draws) -> State[Any]:
    """The position after the draws that it waits for."""
    while (due := state.chance) is not None:
        state = state.drawn(tuple(_taken(draws.dice, at, "draw", due.sides) for _ in range(due.count)))
    return state


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
    _must(_is_committed(seed, record.commitment), f"{name}: its seed is not the one that was committed to")
    plan, numbers = state.plan, {one.name: one.number for one in state.entrants}
    late = {plan.stand_in, *(ruling.player for ruling in state.rulings if ruling.what == LET_IN)}
    if plan.is_bracket or (plan.stages and plan.stages[0].group_size):
        late.clear()  # a player who is let in there comes back, and was in the draw
    drawn = sorted((one for one in state.entrants if one.number and one.name not in late), key=lambda one: one.number)
    by_lot = sorted(drawn, key=lambda one: (-one.rating * (plan.draw is Draw.RATING), lot(seed, "number", one.name)))
    fitting = drawn_apart([one.name for one in by_lot], state.team_of, plan) if plan.draw is not Draw.ENTRY else ()
    for one, fits_here in zip(drawn, fitting, strict=False):
        _must(one.name == fits_here, f"{name}: by lot {fits_here} comes before {one.name}")
    if state.draws:
        entered = [one.name for one in sorted(state.entrants, key=lambda one: one.number)]
        fits = state.draws[0].groups == grouped(entered, plan.stages[0])
        _must(fits, f"{name}: its groups are not those that the numbers give")
    begun = dict.fromkeys(player for pairing in state.pairings if pairing.round == 1 for player in pairing.seats)
    is_paired_whole = near(len(begun) + 2) == len(begun) + 2 and not state.team_of
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
            by_board = by_board or pairing.round > 1 or plan.team_boards > 0  # the boards of teams alternate
            fits = {Format.ARENA: by_seat, Format.SWISS: by_board}.get(plan.format, True)
            _must(fits, f"{name}: in pairing {pairing.number} the lot gives {second} the first seat")
        seen.update(pairing.seats)


def _verify_labels_of(record: TournamentRecord) -> None:
    """Verify that the label of each pairing is the one that its meeting must have, by what was voided before it."""
    voided: Counter[tuple[int, str]] = Counter()
    state = row_of(record).state
    is_shared = state.plan.same_chance
    for pairing in state.pairings:
        pair = pair_of(*pairing.seats)
        draw = next((one for one in state.draws if one.has(pairing.round)), None)
        # Of a stage that was voided nothing tells any more after which round it began.
        began = range(pairing.round) if state.draws and draw is None else (0 if draw is None else draw.after_round,)
        first = began[0], chance_label(pair, pairing.meeting, 0, is_shared=is_shared)
        # A game that is played again has the label of its counterpart, if that was played with it.
        labels = {
            chance_label(pair, pairing.meeting, attempt, is_shared=is_shared, after_round=after)
            for after in began
            for attempt in range(voided[first] + 1)
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
        fits = not one.seed or _is_committed(one.seed, one.commitment)
        _must(fits, f"epoch {one.number}: another seed was committed to")
        for number in range(one.first_match, 1 + (one.last_match or 0) if one.seed else 0):
            said = f"epoch {one.number} has the matches {one.first_match} to {one.last_match}"
            _must(number in matches or number in live, f"match {number} is missing: {said}")
    latest = max(matches, default=0)
    ends = {one.commitment: latest if one.last_match is None else one.last_match for one in epochs}
    ranges = {one.commitment: range(one.first_match, 1 + ends[one.commitment]) for one in epochs}
    for match in matches.values():
        fits = match.chance_key != str(match.match) or match.match in ranges.get(match.seed_commitment, ())
        _must(fits, f"match {match.match}: its seed is not that of the epoch in which it was opened")
