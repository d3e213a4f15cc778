r"""The wire log: every byte of a player's connections with the time in microseconds, for debugging a bot.

It is off unless a directory is set. Each player has a file there, plain text, a line for what was
read or said at once:

    2026-11-22T10:31:07.123456Z  17 strategic < b'move 18\r\n'

`<` came from the player, `>` went to them, 17 is the session. What comes before a login is kept until
it is known whose it is. Secrets are masked (`redaction`). A file that has half of what a player may
have becomes `….1.log`, in the place of the one before.

The files are written once in a while and beside the event loop: a slow disk delays the log, not the
match, and where it cannot keep up the log has a gap and says so. Wall time stamps the lines, because
they are held against the client's own log.
"""

import hashlib
import re
import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import structlog
import trio
from attrs import define, field

from gameserver.settings import FIXED
from gameserver.values import value

log = structlog.get_logger()
# By judgement: a player who looks after a lost match finds it written.
_FLUSH_S = 0.25
UNSAVED_BYTES_MAX = 8_000_000
"""Bytes that may wait for the disk, of all players together."""
UNNAMED_BYTES_MAX = 32_768
"""Bytes of one connection that may wait for its login."""
FILES_MAX = 2_000
"""Players who have files; one who comes later has none."""
_PIECE_BYTES_MAX = 16_384
"""Bytes of one piece of input or output that are written."""


@value
class WireLogSettings:
    """A log of every byte, a file for each player."""

    directory: str = ""
    """A folder in which every byte of each player's connections is logged with the microsecond, secrets masked. Empty:
    nothing is logged."""
    bytes_max: int = field(default=1_000_000, metadata=FIXED)  # with FILES_MAX players: 2 GB of disk
    """Bytes kept of each player's log."""


def path_of(directory: Path, player: str) -> Path:
    """The file of a player's wire log: readable, and another one for every name."""
    # The digest tells names apart that the readable part does not, such as `a b` and `a_b`.
    readable = re.sub(r"[^A-Za-z0-9_-]", "_", player)[:40]
    return directory / f"{readable}-{hashlib.sha256(player.encode()).hexdigest()[:12]}.log"


def older(path: Path) -> Path:
    """The path to which a full file of a wire log is moved."""
    return path.with_suffix(".1.log")


def _text_of(path: Path) -> str | None:
    """The text of a file; None if there is none, or no more: a full one is moved away at any moment."""
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return None


def _now_us() -> int:
    return time.time_ns() // 1_000


@define(eq=False)
class WireLog:
    """The wire log: takes notes and writes them.

    `player_of` gives the name of the player who logged in by a session.
    """

    settings: WireLogSettings
    _player_of: Callable[[int], str | None]
    _now_us: Callable[[], int] = _now_us
    _unnamed: dict[int, deque[bytes]] = field(factory=dict, init=False)
    _names: dict[int, str] = field(factory=dict, init=False)
    _unsaved: dict[str, list[bytes]] = field(factory=dict, init=False)
    _unsaved_bytes: int = field(default=0, init=False)
    _has_gap: bool = field(default=False, init=False)
    _is_full_told: bool = field(default=False, init=False)

    @property
    def is_on(self) -> bool:
        """True if the files of wire logs are written."""
        return bool(self.settings.directory)

    def note(self, session: int, protocol: str, mark: str, data: bytes) -> None:
        """Note what a session read (`<`) or said (`>`)."""
        if not data:
            return
        stamp = datetime.fromtimestamp(self._now_us() / 1_000_000, UTC).isoformat(timespec="microseconds")
        more = len(data) - _PIECE_BYTES_MAX
        rest = f" and {more} bytes more" if more > 0 else ""
        line = f"{stamp[:26]}Z {session:3} {protocol} {mark} {data[:_PIECE_BYTES_MAX]!r}{rest}\n".encode()
        name = self._player_of(session)
        if name is not None:
            self._names[session] = name
        name = self._names.get(session)
        waiting = self._unnamed.setdefault(session, deque()) if name is None else None
        if waiting is not None:
            waiting.append(line)
            while sum(map(len, waiting)) > UNNAMED_BYTES_MAX:
                waiting.popleft()
            return
        assert name is not None, "else the line waits"
        for each in (*self._unnamed.pop(session, ()), line):
            self._keep(name, each)

    def closed(self, session: int) -> None:
        """Forget a session; notes of one that never logged in are dropped."""
        self._unnamed.pop(session, None)
        self._names.pop(session, None)

    async def run(self) -> None:
        """Write the notes of the wire log to its files, for ever."""
        while self.is_on:
            await trio.sleep(_FLUSH_S)
            if self._unsaved:
                await trio.to_thread.run_sync(self._save, self._taken())

    def read(self, player: str) -> str | None:
        """Read a player's wire log from its files; None where there are none. It may take long."""
        if not self.is_on:
            return None
        path = path_of(Path(self.settings.directory), player)
        found = [text for text in map(_text_of, (older(path), path)) if text is not None]
        return "".join(found) if found else None

    def flush(self) -> None:
        """Write the notes so far to the files, and wait until that is done."""
        self._save(self._taken())

    def _taken(self) -> dict[str, list[bytes]]:
        """The notes to be written; from now on new ones collect."""
        unsaved, self._unsaved, self._unsaved_bytes = self._unsaved, {}, 0
        return unsaved

    def _save(self, unsaved: dict[str, list[bytes]]) -> None:
        for name, lines in unsaved.items():
            try:
                self._append(path_of(Path(self.settings.directory), name), name, b"".join(lines))
            except OSError as error:
                log.warning("the wire log cannot be written", player=name, why=str(error))

    def _keep(self, name: str, line: bytes) -> None:
        if self._unsaved_bytes + len(line) > UNSAVED_BYTES_MAX:
            if not self._has_gap:
                log.warning("the wire log has a gap: the disk does not keep up")
            self._has_gap = True
            return
        lines = self._unsaved.setdefault(name, [])
        if self._has_gap:
            self._has_gap = False
            line = b"(a gap: the disk did not keep up)\n" + line
        lines.append(line)
        self._unsaved_bytes += len(line)

    def _append(self, path: Path, name: str, content: bytes) -> None:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            if not older(path).exists() and self._is_full(path.parent):
                if not self._is_full_told:
                    log.warning("the wire log has too many players; new players are not logged", player=name)
                self._is_full_told = True
                return
            # Secrets are masked, but who talked to whom and how is the player's alone.
            path.touch(mode=0o600)
        with path.open("ab") as file:
            file.write(content)
            # Half: the older file has the other half until this one takes its place.
            full = file.tell() > self.settings.bytes_max // 2
        if full:
            path.replace(older(path))

    def _is_full(self, directory: Path) -> bool:
        """True if as many players as there may be have files; one may have two."""
        return len({path.name.partition(".")[0] for path in directory.glob("*.log")}) >= FILES_MAX
