"""Decides who may see a player's own page and wire log, and tells all others what to do instead.

The roster's secret proves who the player is, or a link that was given to a player who is logged in (`OwnLinks`).
"""

import ast
import hmac
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import NoReturn

import trio
from attrs import field

from gameserver.authentication.roster import PAUSE_S, Roster
from gameserver.authentication.secret_queue import SecretQueue
from gameserver.core.identity import Proof
from gameserver.read_model.views import Owner, OwnLog, WireLineView
from gameserver.values import value
from gameserver.wire_log.files import WireLog

LIVES_S = 12 * 3600
"""A day in class, counted from the full minute."""
_SEAL_BYTES = 16
"""128 bits of the HMAC: nobody guesses them in the time that a link lives."""
_LINES_READ_MAX = 2_000
"""Lines of a log that are read back, the latest. The whole of it is there to be downloaded."""
_LINE = re.compile(
    r"(?P<at>\S+Z) +(?P<session>\d+) (?P<protocol>\S+) (?P<mark>[<>]) (?P<data>b(['\"]).*\6)(?P<more>.*)"
)
_ENDED = b"(end)"
"""Noted where a player's side of a connection ends."""
_ENDED_WORDS = "The player's side ended the connection."
_NOT_KEPT = "This server keeps no wire logs"
_NONE_YET = "There is no wire log of this player yet"
_UNBOUND = (
    "The roster binds this name to no secret, so a secret cannot show whose it is; log in with your client and "
    "`get match`, which answers with a link, or ask the teacher"
)
_WHO_ARE_YOU = "Give the player's name and the secret of the roster"
_TOO_OLD = (
    "This link is too old, or from before the server's last start: log in with your client, and `get match` again"
)
Words = Mapping[str, re.Pattern[bytes]]
"""A protocol's words for what went wrong, each with a sentence about it."""


class NotShown(Exception):
    """The owner's page or wire log is not shown; the text says why.

    `wants_proof`: another secret might help. `is_last`: not on this connection, which ends with the answer.
    """

    def __init__(self, why: str, *, wants_proof: bool = False, is_last: bool = False) -> None:
        super().__init__(why)
        self.wants_proof = wants_proof
        self.is_last = is_last


_REFUSALS: Mapping[Proof, NotShown] = {
    Proof.OPEN: NotShown(_UNBOUND),
    Proof.SLIP: NotShown(_WHO_ARE_YOU, wants_proof=True),
    Proof.STRANGER: NotShown(_UNBOUND),
    Proof.UNPROVEN: NotShown(_WHO_ARE_YOU, wants_proof=True),
    Proof.TOO_OFTEN: NotShown(
        "That is not the secret of this player either, and it was the last try on this connection; ask the teacher",
        wants_proof=True,
        is_last=True,
    ),
    Proof.WRONG: NotShown("That is not the secret of this player", wants_proof=True),
}


@value
class OwnLinks:
    """The maker and reader of links by which owners reach their pages: a name, a session and a time, sealed with a key.

    The key is random and new at every start, so nothing is kept and no link outlives the server that gave it.
    """

    _key: bytes
    now_s: Callable[[], float]

    def token_of(self, owner: Owner) -> str:
        """The secret part of a link to an owner's page, in letters that need no quoting in a URL."""
        session = "" if owner.session is None else owner.session
        # By the minute, so that transcripts of equal runs are equal.
        until_s = int(self.now_s()) // 60 * 60 + LIVES_S
        said = f"{until_s} {session} {owner.since_ms} {owner.player}".encode("utf-8", "surrogatepass")
        return urlsafe_b64encode(self._seal(said) + said).decode().rstrip("=")

    def owner_of(self, token: str) -> Owner | None:
        """The owner whom this link was given to; None where it is not one of ours, or too old."""
        try:
            sealed = urlsafe_b64decode(token.encode("ascii") + b"=" * (-len(token) % 4))
        except ValueError:
            return None
        seal, said = sealed[:_SEAL_BYTES], sealed[_SEAL_BYTES:]
        # Before anything of the text is looked at: it is whatever a stranger typed.
        if not hmac.compare_digest(seal, self._seal(said)):
            return None
        until_s, session, since_ms, player = said.decode("utf-8", "surrogatepass").split(" ", 3)
        if self.now_s() >= int(until_s):
            return None
        return Owner(player, int(session) if session else None, int(since_ms))

    def _seal(self, said: bytes) -> bytes:
        return hmac.digest(self._key, said, sha256)[:_SEAL_BYTES]


@value
class OwnerAccess:
    """The access of owners to their own page and wire log, by the roster's secret or by a link.

    Every method that may refuse raises `NotShown` with what to do instead.
    """

    _wire_log: WireLog
    _roster: Roster
    _links: OwnLinks
    _mishaps: Mapping[str, Words]
    """The words of each protocol, by its name, for what went wrong."""
    _secret_queue: SecretQueue
    _started_ms: int = field(init=False)
    """The wall time of the server's start: numbers of sessions begin anew with it."""
    _logins_ms: dict[int, int] = field(factory=dict, init=False)
    """The wall time at which each session asked to log in last."""

    @_started_ms.default
    def _now(self) -> int:
        return self._wall_ms()

    def _wall_ms(self) -> int:
        return round(self._links.now_s() * 1000)

    @property
    def logs_are_kept(self) -> bool:
        """True if there are wire logs that owners may see."""
        return self._wire_log.is_on

    async def check(self, player: str, secret: str, session: int, address: str) -> Owner:
        """Check by the secret that a requester is the owner of a page; call it on the event loop."""
        if self._roster.throttle.must_wait(session):
            await trio.sleep(PAUSE_S)
        if secret and self._roster.is_bound(player):
            await self._secret_queue.turn(player, address, session)
        _check_proven(self._roster.proof(player, secret, session, address))
        return Owner(player)

    def token_of(self, player: str, session: int) -> str:
        """The secret part of a link to the owner's page of a player who is logged in by this session."""
        if self._roster.is_bound(player):
            return self._links.token_of(Owner(player))
        return self._links.token_of(Owner(player, session, self._logins_ms.get(session, self._wall_ms())))

    def logs_in(self, session: int) -> None:
        """Note that a session asks to log in: its owner's page begins here."""
        self._logins_ms[session] = self._wall_ms()

    def forget(self, session: int) -> None:
        """Forget the login of a session that is over: its owner's page ends."""
        self._logins_ms.pop(session, None)

    def owner_of(self, token: str) -> Owner:
        """The owner who was given this link; refuses any other."""
        owner = self._links.owner_of(token)
        if owner is None:
            raise NotShown(_TOO_OLD)
        return owner

    def log_of(self, owner: Owner) -> OwnLog:
        """The wire log as far as its owner may see it; reading it may take long."""
        if not self.logs_are_kept:
            raise NotShown(_NOT_KEPT)
        text = self._wire_log.read(owner.player) or ""
        # Without a secret the name was perhaps somebody else's before: only this session's bytes are surely the
        # owner's.
        if owner.session is not None:
            text = of_session(text, owner.session, self._started_ms)
        if not text:
            raise NotShown(_NONE_YET)
        return OwnLog(text, read_lines(text, self._mishaps, _LINES_READ_MAX))


def raise_unproven() -> NoReturn:
    """Refuses who has not proven to be the owner: raises the `NotShown` that asks for name and secret."""
    raise NotShown(_WHO_ARE_YOU, wants_proof=True)


def _check_proven(proof: Proof) -> None:
    """Raise `NotShown` unless the requester has proved to be the player."""
    refusal = _REFUSALS.get(proof)
    if refusal is not None:
        raise NotShown(str(refusal), wants_proof=refusal.wants_proof, is_last=refusal.is_last)


def of_session(log: str, session: int, since_ms: int) -> str:
    """The lines of one session in its owner's wire log, from this wall time on: an older one had the number before."""
    since = datetime.fromtimestamp(since_ms / 1000, UTC).isoformat(timespec="milliseconds")[:-6]
    lines = ((line, _LINE.match(line)) for line in log.splitlines(keepends=True))
    return "".join(line for line, found in lines if found and int(found["session"]) == session and found["at"] >= since)


def read_lines(log: str, mishaps: Mapping[str, Words], count: int) -> tuple[WireLineView, ...]:
    """The last lines of a wire log for its owner; what else is in the file is passed over.

    `mishaps` are by protocol.
    """
    return tuple(_read(log.splitlines()[-count:], mishaps))


def _read(lines: Sequence[str], mishaps: Mapping[str, Words]) -> Iterator[WireLineView]:
    for line in lines:
        found = _LINE.fullmatch(line)
        if found is None:
            continue
        # The file is ours, but an editor may have changed it: `literal_eval` runs nothing.
        data: bytes = ast.literal_eval(found["data"])
        is_from_player, protocol = found["mark"] == "<", found["protocol"]
        if is_from_player:
            mishap = _ENDED_WORDS if data == _ENDED else ""
        else:
            mishap = " ".join(what for what, words in mishaps.get(protocol, {}).items() if words.search(data))
        text = data.decode("utf-8", "backslashreplace") + found["more"]
        yield WireLineView(found["at"], int(found["session"]), protocol, is_from_player, text, mishap)
