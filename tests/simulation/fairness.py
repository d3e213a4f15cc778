"""The judge of chance: draws follow from what was committed to before, and nothing of it is told before its time.

It keeps an account of its own, from the rows on the disk: seeds, matches, and what players have added. The rule is
written here once more, as a player would who believes nothing; no function of the server's own has a part in it.
"""

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from hmac import digest
from itertools import count
from random import Random
from struct import pack, unpack
from typing import TYPE_CHECKING, Any

import orjson
from attrs import define, evolve, field, frozen

from gameserver.core.commands import Contribute, CreateTournament, NewEpoch, ServerStarted
from gameserver.core.draft import Decision
from gameserver.core.events import Accepted, By, Event, FairnessShown, MatchOpened, MatchPaired, MatchShown
from gameserver.core.lobby import Lobby
from gameserver.core.match import Match
from gameserver.exports.fairness import ChanceFault, chance_of, replay
from gameserver.game import Game, Outcome
from gameserver.records.match_record import EpochRecord, MatchRecord, MoveRecord
from gameserver.records.tournament_record import Record, TournamentRecord
from gameserver.tournaments.model import CLOSED
from tests.simulation.violation import Violation

if TYPE_CHECKING:
    from tests.simulation.world import World

Added = dict[str, bytes]
"""The bytes that players have added to the chance of a match, by name."""


def _hash(secret: bytes) -> str:
    return sha256(secret).hexdigest()


def _secret_of(seed: bytes, label: str) -> bytes:
    return digest(seed, f"match|{label}".encode(), "sha256")


def _key_of(secret: bytes, added: Added) -> bytes:
    pairs = sorted((name.encode(), data) for name, data in added.items())
    return digest(secret, b"".join(pack(">H", len(part)) + part for pair in pairs for part in pair), "sha256")


def _drawn(key: bytes, purpose: str, n: int, sides: int) -> int:
    """Draw from 1 to `sides`."""
    for attempt in count():
        for word in unpack(">4Q", digest(key, f"{purpose}|{n}|{attempt}".encode(), "sha256")):
            if word < 2**64 // sides * sides:
                return 1 + word % sides
    raise AssertionError("there is always another attempt")


@frozen
class Terms:
    """The chance of a match, as it stands from its opening on."""

    seed: bytes
    label: str
    added: Added
    tournament: int | None
    """The tournament with whose seed it is told; None if it is told with the match."""

    @property
    def secret(self) -> bytes:
        return _secret_of(self.seed, self.label)

    @property
    def commitment(self) -> str:
        return _hash(self.secret)

    @property
    def key(self) -> bytes:
        return _key_of(self.secret, self.added)


# Half of a secret tells it as good as the whole.
_HALF = 32
_IN_HEX = re.compile(rb"[0-9a-fA-F]{%d,}" % _HALF)
_IN_BASE64 = re.compile(rb"[0-9A-Za-z+/]{42,}")


@define
class Fairness:
    """Holds the server to what it has committed to, across all restarts."""

    _world: "World"
    _hidden: dict[bytes, str] = field(factory=dict)
    """The secrets that nobody may be told yet."""
    _told: dict[tuple[str, int], str] = field(factory=dict)
    """The commitments that anybody was told: of an `epoch`, a `match` or a `tournament`, by number."""
    _open_seeds: dict[bytes, int] = field(factory=dict)
    """The seeds that were told, each with the number of matches that had begun by then."""
    _terms: dict[int, Terms] = field(factory=dict)
    """By match."""
    _live: set[int] = field(factory=set)
    """The matches that are not on record."""
    _epochs: dict[int, tuple[bytes, int]] = field(factory=dict)
    """By number: the seed, and the first match."""
    _seeds: dict[int, bytes] = field(factory=dict)
    """The seeds of tournaments."""
    _added: dict[int, tuple[str, bytes]] = field(factory=dict)
    """By session: what its player has added for the next match."""
    _of_pairs: dict[tuple[int, str], Added] = field(factory=dict)
    """By tournament and label: what was added when the first game of a pair was opened."""

    # Secrets.

    def hide(self, seed: str) -> None:
        """Keep a seed from everybody; it has just been made."""
        self._hidden[bytes.fromhex(seed)] = "a seed"

    def check_secret(self, data: bytes | bytearray, where: str) -> None:
        """Check that these bytes, which leave the server, have no secret in them."""
        runs = [run.lower() for run in _IN_HEX.findall(data)]
        others = _IN_BASE64.findall(data)
        if not runs and not others and data.isascii():
            return
        for secret, what in self._hidden.items():
            text, other = secret.hex().encode(), b64encode(secret)[:-2]
            is_there = any(half in run for run in runs for half in (text[:_HALF], text[_HALF:]))
            if is_there or secret in data or any(other in run for run in others):
                raise Violation("chance stays secret until its time", f"{where}: {what}")

    # Told to players.

    def logged(self, event: dict[str, Any]) -> None:
        if event["event"] == "epoch begun":
            self._tell("epoch", event["epoch"], event["commitment"])
        self.check_secret(repr(event).encode(), "the log")

    def heard(self, events: Iterable[Event]) -> None:
        """Take in what a client is told."""
        for event in events:
            if isinstance(event, MatchOpened | MatchPaired):
                self._open_to(event.match, event.commitment)
            elif isinstance(event, MatchShown):
                self._open_to(event.match, event.paired.commitment)
            elif isinstance(event, FairnessShown):
                self._show(event)

    def _open_to(self, match: int, commitment: str) -> None:
        self._tell("match", match, commitment)
        terms = self._terms[match]
        if _hash(terms.seed) not in self._told.values():
            raise Violation("a commitment comes before the match", f"of match {match} with {terms.label}")

    def _show(self, event: FairnessShown) -> None:
        self._world.count("fairness shown")
        self._tell("epoch", event.epoch, event.commitment)
        if event.match is not None:
            self._tell("match", event.match, event.match_commitment)
            self._check_added(event.match, event.contributions)
        if event.told_epoch is not None:
            self._tell("epoch", event.told_epoch, _hash(bytes.fromhex(event.told_seed)))

    def _tell(self, what: str, number: int, commitment: str) -> None:
        before = self._told.setdefault((what, number), commitment)
        true = self._true(what, number)
        if not commitment == before == true:
            found = f"{what} {number}: told {before}, now {commitment}, true is {true}"
            raise Violation("a commitment never changes", found)

    def _true(self, what: str, number: int) -> str:
        if what == "match":
            return self._terms[number].commitment
        return _hash(self._epochs[number][0] if what == "epoch" else self._seeds[number])

    # Kept on the disk.

    def decided(self, lobby: Lobby, command: Any, decision: Decision) -> None:
        """Take in a decision that is durable and applied to the lobby."""
        if isinstance(command, ServerStarted | NewEpoch):
            # Its matches draw from it from now on; those that are carried over do not.
            self._epochs[lobby.server[""].epochs[-1].number] = bytes.fromhex(command.seed), len(self._terms) + 1
        elif isinstance(command, CreateTournament):
            self._seeds[max(lobby.tournaments)] = bytes.fromhex(command.seed)
        elif isinstance(command, Contribute) and isinstance(decision.answer, Accepted):
            self._added[command.session] = lobby.sessions[command.session], bytes.fromhex(command.data)
            self._world.count("contributed")
        if isinstance(command, ServerStarted):
            self._added.clear()
            self._check_carried(lobby)
        matches = [row for table, _, row in decision.changes if table == "matches" and row is not None]
        new = {match.id: match for match in (*matches, *decision.finished) if match.id not in self._terms}
        for number in sorted(new):
            self._begin(new[number])
        self._added = {at: one for at, one in self._added.items() if lobby.sessions.get(at) == one[0]}

    def _check_carried(self, lobby: Lobby) -> None:
        """Check that a start has changed nothing of the matches that go on."""
        for match in lobby.matches.values():
            self._check_chance(match)
            self._world.count("chance carried over")

    def _check_chance(self, match: Match) -> None:
        terms, chance = self._terms[match.id], match.chance
        if (bytes.fromhex(chance.seed), chance.key) != (terms.seed, terms.label):
            raise Violation("a commitment never changes", f"match {match.id} draws by {chance.key}, not {terms.label}")
        self._check_added(match.id, chance.contributions)

    def _begin(self, match: Match) -> None:
        if match.id != len(self._terms) + 1:
            raise Violation("match numbers have no gaps", f"{match.id} follows {len(self._terms)}")
        people = [(seat.player, seat.session) for seat in match.seats if seat.session in self._added]
        added = {name: self._added[at][1] for name, at in people if self._added[at][0] == name}
        seed, label, scheduled, sharing = self._epochs[max(self._epochs)][0], str(match.id), match.scheduled, None
        # A match that is decided again, after rows were lost, began before or after the seed was told.
        if scheduled is not None and match.id <= self._open_seeds.get(self._seeds[scheduled.tournament], match.id):
            seed, label = self._seeds[scheduled.tournament], scheduled.chance
            if label.startswith("both|"):
                sharing = scheduled.tournament
                added = self._of_pairs.setdefault((sharing, label), added)
                self._world.count("chance of a pair with contributions" if added else "chance of a pair")
        for name, at in people:
            if added.get(name) == self._added[at][1]:
                del self._added[at]
        self._world.count(f"opened with {len(added)} contributions")
        self._terms[match.id] = terms = Terms(seed, label, added, sharing)
        self._live.add(match.id)
        self._check_chance(match)
        if seed not in self._open_seeds:
            self._hidden[terms.secret] = f"the secret of match {match.id}"
            self._hidden[terms.key] = f"the key of the draws of match {match.id}"

    def _check_added(self, match: int, told: Sequence[tuple[str, str]]) -> None:
        added = {name: bytes.fromhex(data) for name, data in told}
        if added != self._terms[match].added:
            found = f"match {match} has {added}, and was opened with {self._terms[match].added}"
            raise Violation("what players have added counts once", found)

    def committed(self, records: Iterable[Record]) -> None:
        """Check records that are durable, with the rows that they follow from."""
        kept = list(records)
        for record in kept:
            if isinstance(record, MatchRecord):
                self._end(record)
        # Of several records of an epoch in one transaction, the last one stands.
        for epoch in {one.number: one for one in kept if isinstance(one, EpochRecord)}.values():
            self._keep_epoch(epoch)
        for record in kept:
            if isinstance(record, TournamentRecord):
                self._keep_tournament(record)
        for record in kept:
            self.check_secret(repr(record).encode(), f"a {type(record).__name__}")

    def _end(self, record: MatchRecord) -> None:
        terms = self._terms[record.match]
        self._live.discard(record.match)
        self._tell("match", record.match, record.commitment)
        self._check_added(record.match, record.contributions)
        is_open = terms.tournament is None or terms.seed in self._open_seeds
        told = terms.secret.hex() if is_open else ""
        if (record.seed_commitment, record.chance_key, record.key) != (_hash(terms.seed), terms.label, told):
            raise Violation("what is told is what was committed to", f"{terms}, on record is {record}")
        check_draws(record, terms.key, self._world)
        if is_open:
            self._open(terms)

    def _open(self, terms: Terms) -> None:
        for secret in (terms.secret, terms.key):
            self._hidden.pop(secret, None)

    def _keep_epoch(self, record: EpochRecord) -> None:
        self._tell("epoch", record.number, record.commitment)
        following = self._epochs.get(record.number + 1)
        last = None if following is None else following[1] - 1
        if (record.first_match, record.last_match) != (self._epochs[record.number][1], last):
            raise Violation("match numbers have no gaps", f"{record} ends with {last}")
        if record.seed:
            self._open_seed("epoch", record.number, record.seed, is_over=last is not None)

    def _keep_tournament(self, record: TournamentRecord) -> None:
        self._tell("tournament", record.tournament, record.commitment)
        if not record.seed:
            return
        self._open_seed("tournament", record.tournament, record.seed, is_over=record.phase in set(CLOSED))
        records = self._world.auditor.records
        for match, terms in self._terms.items():
            if terms.tournament == record.tournament and match in records:
                self._open(terms)
                # Who reads it from now on finds the secret there.
                records[match] = evolve(records[match], key=terms.secret.hex())

    def _open_seed(self, what: str, number: int, told: str, *, is_over: bool) -> None:
        """Take in that a seed is told, which must be the one and have no match left."""
        seed = bytes.fromhex(told)
        if _hash(seed) != self._true(what, number):
            raise Violation("what is told is what was committed to", f"{what} {number}: {told}")
        if seed in self._open_seeds:
            return  # a tournament that goes on after its end draws from the epochs
        if not is_over or any(self._terms[match].seed == seed for match in self._live):
            raise Violation("chance stays secret until its time", f"the seed of {what} {number}, which goes on")
        self._world.count(f"seed told: {what}")
        self._open_seeds[seed] = len(self._terms)
        self._hidden.pop(seed, None)

    # A database that has lost the last rows.

    def rewind(self) -> None:
        """Begin again; the rows that are left are decided after this."""
        for kept in (self._terms, self._live, self._epochs, self._seeds, self._added, self._of_pairs):
            kept.clear()

    def rewound(self, lobby: Lobby, records: Iterable[Record]) -> None:
        """Take in the lobby and the records that are left, after the rows."""
        for number, row in lobby.tournaments.items():
            if not row.is_seed_told:  # if its end is lost, it goes on with a seed that everybody knows
                self._open_seeds.pop(self._seeds[number], None)
        self.committed(records)
        # A log may tell of the epoch of a server whose first row is gone.
        epochs = {("epoch", number): self._true("epoch", number) for number in self._epochs}
        for key, commitment in list(self._told.items()):
            if key[0] == "epoch" and epochs.get(key) != commitment:
                del self._told[key]

    def check_end(self, lobby: Lobby) -> None:
        """Check, when all is over, what everybody can read from now on."""
        records = self._world.auditor.records
        if set(records) != set(self._terms):
            raise Violation("match numbers have no gaps", f"on record are {sorted(records)} of {len(self._terms)}")
        untold = [number for number, seed in self._seeds.items() if seed not in self._open_seeds]
        if any(lobby.tournaments[number].is_over for number in untold):
            raise Violation("every seed is told in the end", f"those of tournaments {untold} are not")
        epochs = {one.number: one for one in self._world.disk.kept.reader().epochs()}
        for number in self._epochs:
            if (one := epochs.get(number)) is None or one.commitment != self._true("epoch", number):
                raise Violation("a commitment never changes", f"epoch {number}: {one}")


def check_draws(record: MatchRecord, key: bytes, world: "World") -> None:
    """Check that all that chance did in a match follows from the key of its draws."""
    made = [*_seats(record, key, world), *_moves(record, key, world)]
    told = [(one.purpose, one.n, one.sides, one.value) for one in record.draws]
    if sorted(made) != sorted(told):
        raise Violation("draws follow from the commitment", f"{told} instead of {made}: {record}")
    try:
        replay(chance_of(record, {}), world.plan.games)
    except ChanceFault as fault:
        raise Violation("a match on record can be verified", f"{fault}: {record}") from fault


Draw = tuple[str, int, int, int]
"""A draw: the purpose, its number, the sides, and the value."""


def _seats(record: MatchRecord, key: bytes, world: "World") -> Iterator[Draw]:
    """Yield the lots for the seats, if there were any, after checking that these are the seats."""
    world.count(f"seats by {record.seats_by}")
    told = record.seats_by == "drawn", record.seats_by == "tournament"
    if record.seats_by == "" or told != (bool(record.seat_lots), record.tournament is not None):
        raise Violation("seats are drawn unless a reason is told", f"{record}")
    if not record.seat_lots:
        return
    players = [seat.player for seat in record.seats]
    order = sorted(players, key=str.encode)
    for n in range(len(order) - 1):
        last = len(order) - 1 - n
        place = _drawn(key, "seats", n, last + 1)
        order[last], order[place - 1] = order[place - 1], order[last]
        yield "seats", n, last + 1, place
    world.count("seats by lot")
    if order != players:
        raise Violation("draws follow from the commitment", f"the seats of {order}: {record}")


def _moves(record: MatchRecord, key: bytes, world: "World") -> Iterator[Draw]:
    """Yield the dice and the moves in a player's place, numbered through all games, as the rules ask for them."""
    if record.game.startswith("Broken"):
        return
    drawn: Counter[str] = Counter()
    for game, options, moves in _games(record, world.plan.games):
        state = game.start(options)
        for move in moves:
            if move.seat is None:
                values = []
                for _ in range(state.chance.count):
                    values.append(_drawn(key, "draw", drawn["draw"], state.chance.sides))
                    yield "draw", drawn["draw"], state.chance.sides, values[-1]
                    drawn["draw"] += 1
                _compare(record, move, " ".join(map(str, values)))
                world.count("dice followed")
                state = state.drawn(tuple(values))
                continue
            if move.by == By.SERVER:
                legal = state.legal_moves(move.seat)
                value = _drawn(key, "late", drawn["late"], len(legal))
                yield "late", drawn["late"], len(legal), value
                _compare(record, move, game.write_move(legal[value - 1]))
                drawn["late"] += 1
                world.count("late move followed" if move.game == 1 else "late move followed in a later game")
            state = state.play(move.seat, game.read_move(move.move))


def _compare(record: MatchRecord, move: MoveRecord, right: str) -> None:
    if move.move != right:
        raise Violation("draws follow from the commitment", f"{right} instead of {move}: {record}")


def _games(record: MatchRecord, games: dict[str, Game[Any]]) -> Iterator[tuple[Game[Any], Any, tuple[MoveRecord, ...]]]:
    game = games[record.game.lower()]
    options = game.options_type(**orjson.loads(record.options))
    series = game.series(options)
    if series is None:
        yield game, options, record.moves
        return
    for number in range(1, max([0, *(move.game for move in record.moves)]) + 1):
        assert series.next_game is not None, "the auditor has seen to it"
        yield *series.next_game, tuple(move for move in record.moves if move.game == number)
        for one in record.games[number - 1 : number]:
            series = series.after(Outcome(one.points, one.winners))


BAD = ("", "0", "zz", "abc", "00" * 33, " 00", "٣٣", "0x12")


class Givers:
    """Players who add bytes to the chance of their next match, at any time; some of them badly."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._chance: Random = world.plan.stream("contributions")
        self._share = world.plan.contributions()

    def act(self) -> None:
        process, chance = self._world.process, self._chance
        if process is None or chance.random() >= self._share or not self._world.bots:
            return
        wire = chance.choice(self._world.bots).wire
        if wire is not None and wire.session and wire.machine == process.number:
            process.ask(Contribute(wire.session, drawn_words(chance)))


def drawn_words(chance: Random) -> str:
    """Draw the hex digits that a player adds; some are none."""
    if chance.random() < 0.2:
        return chance.choice(BAD)
    text = chance.randbytes(chance.choice((1, 2, 32))).hex()
    return text.upper() if chance.random() < 0.2 else text
