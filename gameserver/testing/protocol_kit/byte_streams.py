"""The contract for the bytes of one connection: any chunking, any junk, and floods."""

import random
from codecs import BOM_UTF8
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from gameserver.testing.protocol_kit.connection import (
    NAME,
    Connect,
    after_each_message,
    logged_in,
    shown,
)
from gameserver.testing.protocol_kit.conversations import NOT_FINISHED
from gameserver.values import value

CHUNKINGS = 60
RANDOM_TRIES = 150
FLOOD = 40
"""Messages that come at once."""
JUNK = (
    *(b"", b"\n", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"{}\n", b"[]\n", b"null\n", b"1e999\n", b'{"a":\n'),
    *(b'"\\ud800"\n', b"[" * 1_000 + b"\n", b'{"a":' * 300 + b"\n", b"9" * 1_000 + b"\n", b"|" * 20 + b"\n"),
    *(b"\r\r\n\r", b"\x1e\x1e"),
)


@value
class ByteStreams:
    """The checks, each on connections of its own."""

    connect: Connect
    chance: random.Random

    def check_chunking(self) -> None:
        """Check that bytes mean the same however they are chunked."""
        for number in range(CHUNKINGS):
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
        """Check that no input raises any exception but `BrokenInput`."""
        one = self.connect()
        for junk in (*JUNK, *self._noise(one.speaker.messages)):
            for make in (self.connect, partial(logged_in, self.connect)):
                one = make()
                one.receive(junk)
                one.end_input()
                one.go_on()

    def check_backpressure(self) -> None:
        """Check that `pending_bytes` counts finished input, and not unfinished input."""
        for one, message in after_each_message(self.connect):
            if one.speaker.log_in is not None and one.session not in one.hall.lobby.sessions:
                continue
            begun, rest = message[:-2], message[-2:]  # a message may end in CRLF
            one.take(begun)
            one.require_pending(0, 0, f"after {shown(begun)}, which is unfinished")
            one.take(rest + message * (FLOOD - 1))
            if one.ended is None:
                least = FLOOD if len(message) > 1 else 0
                one.require_pending(least, FLOOD * len(message), f"while {FLOOD} times {shown(message)} waits")
            one.go_on()
            if one.ended is None:
                one.require_pending(0, 0, f"when {FLOOD} times {shown(message)} was taken")

    def check_limit(self) -> None:
        """Check that an unfinished message is refused beyond the limit."""
        one = logged_in(self.connect)
        most = one.speaker.unfinished_bytes_max
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
        one.trail.require(one.ended is not None, f"after {shown(b''.join(pieces))} and the peer's end, {NOT_FINISHED}")
        if one.ended == "finished":
            one.require_pending(0, 0, "when everything was taken")
        return one.asked, bytes(one.said), (one.ended, one.adapter.discarded)

    def _some_messages(self, number: int) -> bytes:
        """A few messages, after a login or not; one may be too long, and the last may be cut off."""
        speaker = self.connect().speaker
        messages = self.chance.choices(speaker.messages, k=self.chance.randint(0, 10))
        if number % 5 == 0:
            too_long = b"x" * (speaker.unfinished_bytes_max + 1) + speaker.messages[0][-1:]
            messages.insert(self.chance.randint(0, len(messages)), too_long)
        mark = BOM_UTF8 if number % 7 == 0 else b""
        login = speaker.log_in(NAME) if speaker.log_in is not None and number % 3 else b""
        said = mark + login + b"".join(messages)
        return said[: len(said) - self.chance.randint(0, min(3, len(said)))] if number % 2 else said

    def _noise(self, messages: Sequence[bytes]) -> Iterable[bytes]:
        """Random bytes, and messages with some of their bytes changed."""
        for _ in range(RANDOM_TRIES):
            yield self.chance.randbytes(self.chance.randint(1, 60))
            bent = bytearray(b"".join(self.chance.choices(messages, k=2)))
            for _ in range(self.chance.randint(1, 4)):
                bent[self.chance.randrange(len(bent))] = self.chance.randrange(256)
            yield bytes(bent)
