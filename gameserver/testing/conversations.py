"""The contract of one connection by itself: its messages, answers and events, and its bytes.

It is told an event of every kind that a client can be told of, in the order in which they may come, and any chunking,
any junk, and floods of bytes.
"""

import random
from codecs import BOM_UTF8
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, get_args

from attrs import evolve

from gameserver.protocol import (
    BoardShown,
    By,
    ChallengeClosed,
    ChallengeOpened,
    Code,
    Command,
    Displaced,
    EndReason,
    Enter,
    Event,
    FairnessShown,
    GameEnded,
    GamesListed,
    MatchEnded,
    MatchOpened,
    MatchPaired,
    MatchShown,
    MatchStatus,
    MovePlayed,
    MoveRefused,
    OwnDrawShown,
    PlayerShown,
    PlayersListed,
    Query,
    Refusal,
    RefusalKind,
    Rejected,
    Reply,
    Result,
    RoomShown,
    RoomsListed,
    Said,
    SeatDropped,
    Seated,
    SeatReady,
    SeatReturned,
    TicketClosed,
    TicketShown,
    TicketStatus,
    TurnStarted,
    Unseated,
    UnseatedWhy,
    Why,
    Work,
)
from gameserver.testing.kit_connection import (
    NAME,
    Connect,
    KitConnection,
    after_each_message,
    logged_in,
    named,
    shown,
)
from gameserver.time_control import TimeControl
from gameserver.values import value

_MATCH = 1
_CLOCK = TimeControl(10_000)

_FACTS = (
    *("name", "why", "game", "player", "room", "last", "min_s", "max_s"),
    *("number", "move", "count", "ticket", "like", "address"),
)
# The characters that mean something in the text protocol's maps and lists, in JSON, and beyond ASCII.
_NASTY = 'a "b" {c} [d] \\ é'
"""Text that a protocol has to escape."""
_HELD_BACK_MS = 5_000
_NOT_FINISHED = "finished stays False; the server would keep the connection for ever"

_CHUNKINGS = 60
_RANDOM_TRIES = 150
_FLOOD = 40
"""Messages that come at once."""
_JUNK = (
    *(b"", b"\n", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"{}\n", b"[]\n", b"null\n", b"1e999\n", b'{"a":\n'),
    *(b'"\\ud800"\n', b"[" * 1_000 + b"\n", b'{"a":' * 300 + b"\n", b"9" * 1_000 + b"\n", b"|" * 20 + b"\n"),
    *(b"\r\r\n\r", b"\x1e\x1e"),
)


@value
class Conversations:
    """The protocol kit's checks of conversations, each on connections of its own.

    `match_events` are those of a match that the protocol can carry.
    """

    connect: Connect
    match_events: Sequence[Event]

    def check_greeting(self) -> None:
        """Check that an adapter says nothing of itself before the peer has sent anything."""
        one = self.connect()
        one.go_on()
        one.trail.require(not one.asked and not one.replies, "next() gives something before the peer has said anything")
        for flag in ("identified", "finished"):
            one.trail.require(
                getattr(one.adapter, flag) is False, f"{flag} must be False before the peer has said anything"
            )
        one.require_pending(0, 0, "before the peer has said anything")

    def check_login(self) -> None:
        """Check that a peer is identified once the lobby accepts it, and not before."""
        if self.connect().speaker.log_in is None:
            return
        one = logged_in(self.connect)
        one.trail.require(one.adapter.identified is True, "identified must be True once Enter or Arrive was accepted")
        refused = self.connect()
        assert refused.speaker.log_in is not None, "asked above"
        refused.take(refused.speaker.log_in(NAME))
        item = refused.next()
        if isinstance(item, Enter) and not item.anonymous:
            refused.trail.steps.append(f"log_in({NAME!r}), refused")
            refused.render(Rejected(Code.NAME_TAKEN, {"name": NAME}), ())
            refused.trail.require(
                refused.adapter.identified is False, "identified is True although the lobby refused; wait for Accepted"
            )

    def check_messages(self) -> None:
        """Check that each message asks one thing of the lobby or is answered at once."""
        for one, message in after_each_message(self.connect):
            one.take(message)
            items: list[Any] = []
            while (item := one.next()) is not None:
                items.append(item)
                one.carry_out(item)
            is_over = one.ended is not None or one.adapter.finished
            one.trail.require(
                items or is_over, f"{shown(message)} has no answer; give a Reply for what is not understood"
            )
            replies = sum(isinstance(item, Reply) for item in items)
            one.trail.require(replies <= 1, f"{shown(message)} has {replies} replies; give one for each message")

    def check_answers(self) -> None:
        """Check that every refusal is said, and that the input's end waits for it.

        It is said also after other events.
        """
        tried: set[tuple[object, type]] = set()
        for make in (self.connect, partial(logged_in, self.connect)):
            for message in self.connect().speaker.messages:
                asked = self._asked_by(make, message)[1]
                # Words hang on what was asked, and hardly on how.
                if asked is None or (make, type(asked)) in tried:
                    continue
                tried.add((make, type(asked)))
                for code in Code:
                    self._check_refusal(make, message, asked, code)
                if isinstance(asked, get_args(Command)):
                    self._check_end(make, message)

    def check_events(self) -> None:
        """Check that every event is said, or declared silent, and keeps its release time."""
        if not self.connect().speaker.is_told_unasked:
            self._check_silence()
            return
        spoken: set[type] = set()
        for make in (self.connect, partial(logged_in, self.connect)):
            for order in ((*_before_a_match(), *self.match_events), self.match_events):
                one = make()
                for event in order:
                    data = b"".join(output.data for output in one.render(None, (event,)))
                    one.require_readable(data, f"{named(event)} is told as")
                    if data:
                        spoken.add(type(event))
            self._check_held_back(make())
        one = self.connect()
        silent = one.speaker.silent
        for kind in get_args(Event):
            if kind in spoken:
                one.trail.require(
                    kind not in silent, f"{kind.__name__} is named as silent in the Speaker, but has words; take it out"
                )
            else:
                one.trail.require(
                    kind in silent, f"{kind.__name__} has no words; render it, or name it as silent in the Speaker"
                )

    def _check_silence(self) -> None:
        """Somebody else's doing is not told to a client that waits for answers alone."""
        for event in _before_a_match():
            one = logged_in(self.connect)
            data = b"".join(output.data for output in one.render(None, (event,)))
            one.trail.require(
                not data, f"{named(event)} is told as {shown(data)}, and the Speaker says that nothing is told unasked"
            )

    def check_farewell(self) -> None:
        """Check the last words to a peer."""
        for kind in RefusalKind:
            for make in (self.connect, partial(logged_in, self.connect)):
                one = make()
                one.bytes_of("farewell()", one.trail.ask("farewell()", one.adapter.farewell, Refusal(_NASTY, kind)))

    def _asked_by(self, make: Connect, message: bytes) -> tuple[KitConnection, Command | Query | None]:
        """A new connection that has asked what this message asks of the lobby, if it asks anything."""
        one = make()
        one.take(message)
        item = one.next()
        return one, None if isinstance(item, Reply | Work) else item

    def _check_refusal(self, make: Connect, message: bytes, asked: Command | Query, code: Code) -> None:
        # A refusal may come with no facts at all, and with texts that other players chose.
        nasty = Rejected(code, dict.fromkeys(_FACTS, _NASTY))
        one, bare = self._refused(make, message, Rejected(code), ())
        _, alone = self._refused(make, message, nasty, ())
        one.trail.require(
            (bare and alone) or one.speaker.needs_no_words(asked, code),
            f"{named(asked)} was refused with {code.name}, and the client is told nothing; find words for it",
        )
        one, late = self._refused(make, message, nasty, (Said("bob", "hello"), *_before_a_match()[:3]))
        one.trail.require(
            alone == late,
            f"the answer to {named(asked)} is {shown(alone)}, but {shown(late)} if something else is told before it; "
            "let render(None, ...) leave alone what is asked",
        )

    def _refused(
        self, make: Connect, message: bytes, rejected: Rejected, between: Sequence[Event]
    ) -> tuple[KitConnection, bytes]:
        """A new connection whose message was refused after these events came between, and its output for that."""
        one, _ = self._asked_by(make, message)
        if between:
            one.render(None, between)
        before = len(one.said)
        one.hear(rejected, ())
        one.go_on()  # a protocol may have more to ask before it answers
        data = bytes(one.said[before:])
        one.require_readable(data, f"{rejected.code.name} is told as")
        return one, data

    def _check_end(self, make: Connect, message: bytes) -> None:
        one, asked = self._asked_by(make, message)
        assert asked is not None, "asked by the caller"
        one.end_input()
        one.trail.require(
            one.adapter.finished is False,
            f"finished is True although {named(asked)} has no answer yet; the peer would never get it",
        )
        one.carry_out(asked)
        one.go_on()
        one.trail.require(
            one.ended is not None, f"when {named(asked)} is answered and the peer has hung up, {_NOT_FINISHED}"
        )

    def _check_held_back(self, one: KitConnection) -> None:
        one.render(None, self.match_events[:4])
        for event in self.match_events:
            # The events that a pause holds back: between a move and the next turn, and before the first move.
            if isinstance(event, MovePlayed | TurnStarted):
                for output in one.render(None, (evolve(event, release_ms=_HELD_BACK_MS),)):
                    one.trail.require(
                        output.release_ms >= _HELD_BACK_MS or not output.data,
                        f"{named(event)} is held back until {_HELD_BACK_MS}, but its Output has release_ms "
                        f"{output.release_ms}; pass release_ms on",
                    )


@value
class ByteStreams:
    """The protocol kit's checks of bytes in conversations, each on connections of its own."""

    connect: Connect
    chance: random.Random

    def check_chunking(self) -> None:
        """Check that bytes mean the same however they are chunked."""
        for number in range(_CHUNKINGS):
            said = self._some_messages(number)
            cuts = sorted(self.chance.choices(range(len(said) + 1), k=self.chance.randint(0, 12)))
            pieces = [said[begin:end] for begin, end in pairwise([0, *cuts, len(said)])]
            whole = self._conversation([said])
            for cut in (pieces, [said[at : at + 1] for at in range(len(said))]):
                again = self._conversation(cut)
                for kind, one, other in zip(("asked", "told the client", "the end"), whole, again, strict=True):
                    self.connect().trail.require(
                        one == other,
                        f"what is {kind} depends on how the bytes are cut: {shown(said)} as a whole gives {one!r}, in "
                        f"{len(cut)} pieces {other!r}; keep what is unfinished, and look at no piece by itself",
                    )

    def check_junk(self) -> None:
        """Check that junk raises no exception but `BrokenInput`."""
        one = self.connect()
        for junk in (*_JUNK, *self._noise(one.speaker.messages)):
            for make in (self.connect, partial(logged_in, self.connect)):
                one = make()
                one.receive(junk)
                one.end_input()
                one.go_on()

    def check_backpressure(self) -> None:
        """Check under a flood that `pending_bytes` counts finished input, and no other."""
        for one, message in after_each_message(self.connect):
            if one.speaker.log_in is not None and one.session not in one.hall.lobby.sessions:
                continue
            begun, rest = message[:-2], message[-2:]  # a message may end in CRLF
            one.take(begun)
            one.require_pending(0, 0, f"after {shown(begun)}, which is unfinished")
            one.take(rest + message * (_FLOOD - 1))
            if one.ended is None:
                least = _FLOOD if len(message) > 1 else 0
                one.require_pending(least, _FLOOD * len(message), f"while {_FLOOD} times {shown(message)} waits")
            one.go_on()
            if one.ended is None:
                one.require_pending(0, 0, f"when {_FLOOD} times {shown(message)} was taken")

    def check_limit(self) -> None:
        """Check that an unfinished message is refused beyond the limit."""
        one = logged_in(self.connect)
        most = one.speaker.unfinished_bytes_max
        # Twice the limit in two pieces: a protocol that looks at each piece by itself would keep both.
        for _ in range(2):
            one.receive(b"x" * most)
        one.trail.require(
            one.ended is not None,
            f"{2 * most} bytes without an end are kept, and the limit is {most}; raise BrokenInput beyond it",
        )

    def _conversation(self, pieces: Sequence[bytes]) -> tuple[list[Any], bytes, tuple[str | None, int]]:
        one = self.connect()
        one.receive(*pieces)
        one.end_input()
        one.go_on()
        one.trail.require(one.ended is not None, f"after {shown(b''.join(pieces))} and the peer's end, {_NOT_FINISHED}")
        if one.ended == "finished":
            one.require_pending(0, 0, "when everything was taken")
        return one.asked, bytes(one.said), (one.ended, one.adapter.discarded)

    def _some_messages(self, number: int) -> bytes:
        """A few messages, after a login or not; one may be too long, and the last may be cut off."""
        speaker = self.connect().speaker
        messages = self.chance.choices(speaker.messages, k=self.chance.randint(0, 10))
        if number % 19 == 0:  # seldom, since each of its bytes comes alone once
            too_long = b"x" * (speaker.unfinished_bytes_max + 1) + speaker.messages[0][-1:]
            messages.insert(self.chance.randint(0, len(messages)), too_long)
        # Editors of Windows, and programs that read a file with one, send a byte order mark first.
        mark = BOM_UTF8 if number % 7 == 0 else b""
        login = speaker.log_in(NAME) if speaker.log_in is not None and number % 3 else b""
        said = mark + login + b"".join(messages)
        return said[: len(said) - self.chance.randint(0, min(3, len(said)))] if number % 2 else said

    def _noise(self, messages: Sequence[bytes]) -> Iterable[bytes]:
        """Random bytes, and messages with some of their bytes changed."""
        for _ in range(_RANDOM_TRIES):
            yield self.chance.randbytes(self.chance.randint(1, 60))
            bent = bytearray(b"".join(self.chance.choices(messages, k=2)))
            for _ in range(self.chance.randint(1, 4)):
                bent[self.chance.randrange(len(bent))] = self.chance.randrange(256)
            yield bytes(bent)


def _before_a_match() -> tuple[Event, ...]:
    """The events about the lobby. A protocol may say these at any time."""
    rooms = (RoomShown(0, None), RoomShown(3, "bob"))
    return (
        PlayersListed((PlayerShown("ann", "strategic"), PlayerShown("house-random", "house", house=True))),
        GamesListed(("Reversi", "Tic-tac-toe")),
        RoomsListed(rooms),
        Seated(3, "bob"),
        Unseated(3, UnseatedWhy.OPPONENT_LEFT, rooms),
        TicketShown("t1", TicketStatus.WAITING, "Reversi"),
        TicketClosed("t1"),
        ChallengeOpened(3, "bob", "Reversi", _CLOCK),
        ChallengeClosed(3),
        Said("bob", "hello"),
        Displaced(),
    )


def of_a_match(game: str, options: object, moves: tuple[str, str], number: int | None) -> tuple[Event, ...]:
    """The events told in a conversation about a match of two games from seat 0, won and lost.

    `moves` are two that the game can read, `number` the first's.
    """
    players = ("ann", "bob")
    own, other = (
        MovePlayed(_MATCH, 0, "ann", moves[0], number, "a detail"),
        MovePlayed(_MATCH, 1, "bob", moves[1], None, "", By.SERVER),
    )
    why = Why("the rule", _CLOCK, 250)
    paired = MatchPaired(_MATCH + 1, game, options, players, 1, _CLOCK)
    return (
        MatchPaired(_MATCH, game, options, players, 0, _CLOCK, ("", "")),
        SeatReady(_MATCH, 1),
        OwnDrawShown(_MATCH, 4),
        MatchOpened(_MATCH, game, players, 0, 0, _CLOCK, 1, options),
        TurnStarted(_MATCH, 0, (0,), "a prompt", 20_000),
        own,
        TurnStarted(_MATCH, 1, (1,), "", None),
        other,
        SeatDropped(_MATCH, 1, "bob", 30_000),
        SeatReturned(_MATCH, 1, "bob"),
        MatchStatus(_MATCH, game, players, 0, (0,), 5_000),
        BoardShown(_MATCH, ("a b", "1 2")),
        FairnessShown(1, "ab" * 32),
        MoveRefused(_MATCH, 1, "bob", "nonsense", "there is no such cell"),
        GameEnded(_MATCH, Result(EndReason.ILLEGAL, (1, -1), (0,), 1), why=why),
        MatchEnded(_MATCH, Result(EndReason.ILLEGAL, (1, -1), (0,), 1)),
        MatchShown(_MATCH + 1, game, players, 1, 0, _CLOCK, (), paired, 1, options),
        GameEnded(_MATCH + 1, Result(EndReason.VOID, (0, 0), ())),
        MatchEnded(_MATCH + 1, Result(EndReason.VOID, (), ())),
    )
