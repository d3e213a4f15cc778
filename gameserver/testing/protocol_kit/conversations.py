"""The contract for one connection by itself: its messages, answers and events."""

from collections.abc import Sequence
from functools import partial
from typing import Any, get_args

from attrs import evolve

from gameserver.protocol import (
    Code,
    Command,
    Enter,
    Event,
    MovePlayed,
    Query,
    Refusal,
    RefusalKind,
    Rejected,
    Reply,
    Said,
    TurnStarted,
    Work,
)
from gameserver.testing.protocol_kit.connection import (
    NAME,
    Connect,
    KitConnection,
    after_each_message,
    logged_in,
    named,
    shown,
)
from gameserver.testing.protocol_kit.event_samples import before_a_match
from gameserver.values import value

FACTS = (
    *("name", "why", "game", "player", "room", "last", "min_s", "max_s"),
    *("number", "move", "count", "ticket", "like", "address"),
)
NASTY = 'a "b" {c} [d] \\ é'
"""Text that a protocol has to escape."""
HELD_BACK_MS = 5_000
NOT_FINISHED = "finished stays False; the server would keep the connection for ever"


@value
class Conversations:
    """The checks, each on connections of its own. `match_events` are those of a match that the protocol can carry."""

    connect: Connect
    match_events: Sequence[Event]

    def check_greeting(self) -> None:
        """Check the state before the peer has sent anything."""
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
        """Check that every refusal is said, also after other events, and that the input's end waits for it."""
        tried: set[tuple[object, type]] = set()
        for make in (self.connect, partial(logged_in, self.connect)):
            for message in self.connect().speaker.messages:
                asked = self._asked_by(make, message)[1]
                # Words hang on what was asked, and hardly on how.
                if asked is None or (make, type(asked)) in tried:
                    continue
                tried.add((make, type(asked)))
                for code in Code:
                    for facts in ({}, dict.fromkeys(FACTS, NASTY)):
                        self._check_refusal(make, message, asked, Rejected(code, facts))
                if isinstance(asked, get_args(Command)):
                    self._check_end(make, message)

    def check_events(self) -> None:
        """Check that every event is said, or declared silent, and that delayed output keeps its release time."""
        if not self.connect().speaker.is_told_unasked:
            self._check_silence()
            return
        spoken: set[type] = set()
        for make in (self.connect, partial(logged_in, self.connect)):
            for order in ((*before_a_match(), *self.match_events), self.match_events):
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
        for event in before_a_match():
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
                one.bytes_of("farewell()", one.trail.ask("farewell()", one.adapter.farewell, Refusal(NASTY, kind)))

    def _asked_by(self, make: Connect, message: bytes) -> tuple[KitConnection, Command | Query | None]:
        """A new connection that has asked what this message asks of the lobby, if it asks anything."""
        one = make()
        one.take(message)
        item = one.next()
        return one, None if isinstance(item, Reply | Work) else item

    def _check_refusal(self, make: Connect, message: bytes, asked: Command | Query, rejected: Rejected) -> None:
        _, alone = self._refused(make, message, rejected, ())
        one, late = self._refused(make, message, rejected, (Said("bob", "hello"), *before_a_match()[:3]))
        one.trail.require(
            alone or one.speaker.needs_no_words(asked, rejected.code),
            f"{named(asked)} was refused with {rejected.code.name}, and the client is told nothing; find words for it",
        )
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
            one.ended is not None, f"when {named(asked)} is answered and the peer has hung up, {NOT_FINISHED}"
        )

    def _check_held_back(self, one: KitConnection) -> None:
        one.render(None, self.match_events[:4])
        for event in self.match_events:
            if isinstance(event, MovePlayed | TurnStarted):
                for output in one.render(None, (evolve(event, release_ms=HELD_BACK_MS),)):
                    one.trail.require(
                        output.release_ms >= HELD_BACK_MS or not output.data,
                        f"{named(event)} is held back until {HELD_BACK_MS}, but its Output has release_ms "
                        f"{output.release_ms}; pass release_ms on",
                    )
