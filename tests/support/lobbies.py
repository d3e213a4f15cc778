"""A lobby to play with: commands in, events out, without trio. And what must hold in any lobby."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import count
from typing import Any

from attrs import define, field

from gameserver.chance import draw_key, drawn_lots, in_drawn_order, match_key, number_below
from gameserver.core import lobby as core
from gameserver.core.commands import (
    Accept,
    Capability,
    Challenge,
    Command,
    Enter,
    Leave,
    Play,
    Query,
    Ready,
    Resign,
    Seek,
    ServerStarted,
    Sit,
    TimeUp,
)
from gameserver.core.events import Accepted, Event, Rejected
from gameserver.core.lobby import Lobby, TournamentRow, is_reserved
from gameserver.core.match import NOBODYS_TURN, Match, MatchPhase, TurnClock
from gameserver.engine.batch import Batch, Submission
from gameserver.game import Game
from gameserver.journal.journal import JournalRow
from gameserver.journal.recovery import replay
from gameserver.journal.snapshot import digest, read_snapshot, write_snapshot
from gameserver.policies import DropPolicy, Rules
from gameserver.records.match_record import MatchRecord
from gameserver.records.tournament_record import Record
from gameserver.server.house_players import house_players
from gameserver.time_control import TimeControl
from gameserver.tournaments import model as tournament_model
from gameserver.tournaments.model import PairingStatus
from tests.support.journals import RowsOnly

SEED = "5eed5eed0000011b" * 4
MATCHES = 8
"""The first matches of a transcript, whose lots can be wished."""


@lru_cache
def lucky_seed(begins: tuple[str, ...], code: tuple[int, ...] = (), colours: int = 0) -> str:
    """A seed whose lots fall as wished, or whose first match has this code; both at once would be a long search."""
    wished = begins if code else (*begins, *["first"] * (MATCHES - len(begins)))
    for number in count():
        seed = f"{number:064x}"
        first = draw_key(match_key(seed, 1), ())
        if any(number_below(colours, first, "draw", place) != value for place, value in enumerate(code)):
            continue
        keys = (draw_key(match_key(seed, match), ()) for match in range(1, MATCHES + 1))
        lots = (in_drawn_order(("first", "second"), drawn_lots(2, key, "seats"))[0] for key in keys)
        if all(lot == wish for lot, wish in zip(lots, wished, strict=False)):
            return seed
    raise AssertionError


@define
class LobbyHarness:
    """A lobby with a clock that stands until it is moved, and everything that was told, by session."""

    games: Mapping[str, Game[Any]]
    rules: Rules = field(factory=lambda: Rules(first_move_pause_ms=0))
    now_ms: int = 1_000
    lobby: Lobby = field(init=False)
    rows: list[JournalRow] = field(factory=list)
    records: list[MatchRecord] = field(factory=list)
    other_records: list[Record] = field(factory=list)
    heard: dict[int, list[Event]] = field(factory=dict)
    dismissed: list[int] = field(factory=list)
    """Sessions that were to be ended."""
    woken: tuple[int, ...] = ()
    """The tournaments that whoever pairs was to look at after the last command."""
    boot: int = 0
    seed: str = SEED
    judge: Callable[[Lobby, Enter], Enter] = lambda _, command: command
    """As in `Batch`."""
    is_checked: bool = True
    """True if the invariants of a lobby are checked after every command."""

    def __attrs_post_init__(self) -> None:
        self.lobby = Lobby(self.games)
        self.start()

    def start(self) -> None:
        """The commands with which every start of the server begins."""
        self.boot += 1
        games = {game.name: game.version for game in self.games.values()}
        self.do(ServerStarted(self.boot, self.seed, self.rules, house_players(self.games), games))

    def do(self, command: Command | Query, stamp_ms: int | None = None) -> Accepted | Rejected:
        """Carry out a command; what it told is added to `heard`."""
        batch = Batch(self.lobby, len(self.rows), lambda: self.now_ms, lambda: 0, lambda match, due: None, self.judge)
        sender: Any = object()
        batch.add(Submission(command, self.now_ms if stamp_ms is None else stamp_ms, sender))
        self.rows += batch.rows
        self.records += batch.records
        self.other_records += batch.other_records
        self.woken = tuple(batch.wake)
        for _, decision in batch.outputs:
            self.dismissed += [session for session, _ in decision.dismissed]
            for session, event in decision.deliveries:
                self.heard.setdefault(session, []).append(event)
        if self.is_checked:
            check(self.lobby)
        (answer,) = [decision.answer for to, decision in batch.outputs if to is sender]
        return answer

    def hear(self, session: int) -> list[Event]:
        """The events of a session since the last call."""
        return self.heard.pop(session, [])

    def enter(self, session: int, name: str, address: str = "10.0.0.1") -> Accepted | Rejected:
        return self.do(Enter(session, name, "strategic", address, (Capability.CHAT, Capability.CHALLENGE)))

    def play(self, session: int, move: str, stamp_ms: int | None = None) -> Accepted | Rejected:
        return self.do(Play(session, move), stamp_ms)

    def leave(self, session: int) -> Accepted | Rejected:
        return self.do(Leave(session))

    def resign(self, session: int) -> Accepted | Rejected:
        return self.do(Resign(session))

    def seek(self, session: int, game: str, turn_time_ms: int | None = None) -> Accepted | Rejected:
        return self.do(Seek(session, game, turn_time_ms))

    def challenge(self, session: int, to: str, game: str, clock: TimeControl | None = None) -> Accepted | Rejected:
        return self.do(Challenge(session, to, game, clock))

    def accept(self, session: int, number: int | None = None) -> Accepted | Rejected:
        return self.do(Accept(session, number))

    def time_up(self, match: int = 1) -> Accepted | Rejected:
        return self.do(TimeUp(match))

    def enter_anonymously(self, session: int, prefix: str = "mm-") -> Accepted | Rejected:
        return self.do(Enter(session, prefix, "mastermind", "10.0.0.1", anonymous=True))

    def practise(self, session: int, game: str, to: str = "house-random", **options: Any) -> Accepted | Rejected:
        return self.do(Challenge(session, to, game, options=options or None, practice=True))

    def enter_by_rooms(self, session: int, name: str, address: str = "10.0.0.1") -> Accepted | Rejected:
        return self.do(Enter(session, name, "connect-four", address, (Capability.ROOMS,)))

    def sit(self, session: int, room: int = 0) -> Accepted | Rejected:
        return self.do(Sit(session, room))

    def ready(self, session: int) -> Accepted | Rejected:
        return self.do(Ready(session))

    def opened(self, game: str = "Countdown") -> tuple[Match, int, int]:
        """A match of ann and bob; its value, and the sessions of seat 0 and seat 1. What was told is forgotten."""
        self.enter(1, "ann")
        self.enter(2, "bob")
        self.seek(1, game)
        self.seek(2, game)
        match = next(iter(self.lobby.matches.values()))
        sessions = {"ann": 1, "bob": 2}
        self.heard.clear()
        return match, sessions[match.players[0]], sessions[match.players[1]]

    def check_restored(self) -> None:
        """Check that a replay of the rows, and a snapshot, give the same lobby."""
        journal = RowsOnly()
        journal.append(self.rows)
        replayed = replay(journal, self.games)
        assert replayed.skipped == ()
        snapshot = write_snapshot(self.lobby, 1, self.now_ms)
        assert digest(replayed.lobby) == digest(read_snapshot(snapshot, self.games)) == digest(self.lobby)

    def match(self, number: int = 1) -> Match:
        return self.lobby.matches[number]


def check(lobby: Lobby) -> None:
    """Checks the invariants that hold after every decision."""
    for row in lobby.tournaments.values():
        check_tournament(lobby, row)
    check_players(lobby)
    for game, waiting in lobby.queues.items():
        assert len(set(waiting)) == len(waiting) > 0
        for name in waiting:
            assert lobby.players[name].seek == game
            assert lobby.players[name].match is None, "who plays does not wait in a queue"
    for challenge in lobby.challenges.values():
        assert lobby.players[challenge.challenger].challenge == challenge.number
        house = {player.name for player in lobby.server[""].house}
        assert challenge.to in (house if challenge.due_ms is not None else lobby.players)
    for room in lobby.rooms.values():
        check_room(lobby, room)
    holders: list[str] = []
    for match in lobby.matches.values():
        check_match(match)
        holders += [holder.player for holder in match.seats if not holder.is_house]
    assert sorted(holders) == sorted(lobby.seated), "nobody sits in two seats, and every seat is known"


def check_players(lobby: Lobby) -> None:
    """Checks the invariants of connected players."""
    for name, player in lobby.players.items():
        assert player.name == name
        assert lobby.sessions[player.session] == name
        if player.match is not None:
            assert lobby.seated[name] == player.match, "who is in a match has a seat in it"
        if player.room is not None:
            assert lobby.rooms[player.room].place_of(name) is not None, "who sits in a room has a place there"
        if player.challenge is not None:
            assert lobby.challenges[player.challenge].challenger == name
    for ticket in lobby.tickets.values():
        holder = lobby.players.get(ticket.player)
        assert holder is None or holder.identity == ticket.booked.identity, (
            "who has a ticket is not here in another way, too"
        )
    assert sorted(lobby.sessions.values()) == sorted(lobby.players), "one session for each player"


def check_tournament(lobby: Lobby, row: TournamentRow) -> None:
    """Checks the invariants of a tournament in its lobby."""
    scheduled = {
        match.scheduled.pairing: match
        for match in lobby.matches.values()
        if match.scheduled is not None and match.scheduled.tournament == row.number
    }
    playing = {pairing.number: pairing for pairing in row.state.pairings if pairing.status is PairingStatus.PLAYING}
    assert scheduled.keys() == playing.keys(), "a pairing is being played if and only if its match is"
    for number, match in scheduled.items():
        assert match.players == playing[number].seats
        assert match.id == playing[number].match
    announced = {pairing.number for pairing in row.state.pairings if pairing.status is PairingStatus.ANNOUNCED}
    if row.state.phase is tournament_model.TournamentPhase.RUNNING:
        assert row.waits.keys() <= announced, "nothing but announced matches is waited for"
        assert lobby.server[""].drains or row.waits.keys() == announced, "and each is, unless the server is to stop"
    else:
        assert not row.waits
        assert row.due_ms is None


def check_room(lobby: Lobby, room: core.Room) -> None:
    """Checks the invariants of a room."""
    assert 1 <= len(room.places) <= 2, "a room without anybody is free"
    assert len({place.player for place in room.places}) == len(room.places)
    if room.phase is core.RoomPhase.PLAYING:
        assert room.match is not None
        match = lobby.matches[room.match]
        assert all(match.room_of(place.player) == room.number for place in room.places)
        if match.scheduled is None and not match.is_ladder:
            assert {place.player for place in room.places} == set(match.players)
        return
    assert room.match is None
    assert not all(place.is_ready or place.guest for place in room.places) or len(room.places) == 1
    for place in room.places:
        player = lobby.players.get(place.player)
        if player is None or player.room != room.number:
            sits_elsewhere = player is not None and player.room is not None
            assert not sits_elsewhere or place.address != player.address, "nobody has two places"
            assert room.return_by_ms is not None, "only after a restart is a place kept for somebody"
            assert not place.is_ready
        elif place.guest is core.RoomGuest.SEEKING:
            assert room.places[0] is place
            assert player.name in lobby.queues[player.seek or ""]
        elif place.guest is core.RoomGuest.CHALLENGING:
            assert len(room.places) == 2, "nobody challenges an empty place"
    if room.phase is core.RoomPhase.KEPT:
        assert all(place.is_ready and is_reserved(lobby, place.player) for place in room.places)
    if room.phase in {core.RoomPhase.GATHERING, core.RoomPhase.KEPT}:
        assert len(room.places) == 1
        assert room.start_by_ms is None
    else:
        assert room.start_by_ms is not None, "nobody waits for ever for somebody else"
    if room.phase is core.RoomPhase.READYING:
        assert len(room.places) == 2


def check_match(match: Match) -> None:
    """Checks the invariants of a live match."""
    if match.policies.dropped is DropPolicy.NOTHING:
        assert match.clock == TurnClock()
        assert all(holder.is_present for holder in match.seats), "nobody is waited for in a practice match"
    assert match.state.outcome is None
    if match.phase is MatchPhase.READYING:
        assert match.awaited_seats, "somebody is waited for, or the game would have begun"
        assert match.turn == NOBODYS_TURN
    else:
        assert match.turn == match.state.turn
    assert match.result is None
    clock = match.clock
    assert clock.deadline_ms is None or clock.left_ms is None
    assert clock.left_ms is None or clock.left_ms >= 0, "no clock is below zero"
    if clock.deadline_ms is not None:
        assert not match.stands, "no clock runs for who is away, or has not been asked yet"
    assert len(match.banks) == (len(match.seats) if match.policies.clock.has_bank else 0)
    for seat, bank in enumerate(match.banks):
        assert (bank is None) == match.seats[seat].is_house
        if bank is not None:
            assert min(bank.left_ms, bank.used_ms) >= 0, "no bank is below zero"
            runs = match.phase is MatchPhase.PLAYING and seat in match.turn.seats and not match.stands
            assert (bank.since_ms is not None) == runs, "a bank runs while its player is to act, and only then"
    assert len({owed.seat for owed in match.owed}) == len(match.owed), "a seat owes one answer at most"
    for owed in match.owed:
        assert match.seats[owed.seat].is_present, "a new connection owes nothing"
        assert not match.seats[owed.seat].is_house
        assert owed.seat not in match.unanswering
    for holder in match.seats:
        assert holder.is_present != (holder.absence is not None) or holder.is_house
        assert holder.grace_left_ms >= 0
