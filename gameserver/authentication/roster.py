"""The roster: a table that binds names to secrets, so that nobody else can log in under them.

It is a CSV file that a teacher makes with any spreadsheet, or the same table in the database, for all halls. It is read
again at the next login after it has changed. If it cannot be read any more, the old roster stays, and the log gets a
line. Secrets stay here: they go neither into the lobby nor into the journal or the log.

Wrong secrets are throttled by connection (`SecretThrottle`), and by name in `secret_queue`.
"""

import csv
import io
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from hashlib import sha256
from hmac import compare_digest
from math import log2
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase, digits, punctuation

import structlog
from attrs import define, evolve, field

from gameserver.core.commands import Book, Enter
from gameserver.core.identity import NO_GUID, Proof, is_allowed_name, is_guid
from gameserver.database.connection import DatabaseAway, DatabaseConnection, DatabaseError
from gameserver.read_model.views import Attack, ListedStudent
from gameserver.tournaments.season import Students
from gameserver.values import value

log = structlog.get_logger()
IN_DATABASE = "database"
"""The setting that means it."""
SOURCE = "the roster in the database"
"""Its name in messages."""
# By judgement: a person mistypes a secret once or twice.
TRIES = 3
"""Wrong secrets of a connection that are answered at once."""
# By judgement: a person hardly notices it, and a guesser has to connect again.
PAUSE_S = 2.0
"""Seconds that the next secret waits for its answer, which is the connection's last if it is wrong."""
ADMIN_TOKEN = ""
"""In the place of a name: the token of the admin listener. No player has an empty name."""
QUIET_S = 3_600.0
"""Seconds without a wrong secret after which a name no longer counts as attacked."""
ADDRESSES_MAX = 50
"""Addresses that are kept for each name."""
_LOG_EVERY_S = 10.0
"""Seconds between two lines of the log about one name: a flood of guesses must not become one of lines."""
# At 20 checks a second, ten random letters and digits take 2.9 million years on average (`secret_queue`).
SECRET_LENGTH_MIN = 10
"""Shorter secrets can be guessed: a right one is accepted however many wrong ones came before it."""
SECRET_BITS_MIN = 40
"""The same, for the length times the bits of a character that is drawn by chance: ten digits have 33."""
_KINDS = ((ascii_lowercase, 26), (ascii_uppercase, 26), (digits, 10), (punctuation + " ", 33))
_OTHERS = 100
"""Characters outside ASCII that a person may choose from."""
_SLIP_LENGTH_MIN = 3
"""Shorter names are one letter away from too many others."""


class RosterError(Exception):
    """The roster cannot be used; the text says where and why.

    `is_away` tells that only the database is away now: trying again may help.
    """

    def __init__(self, why: str, *, is_away: bool = False) -> None:
        super().__init__(why)
        self.is_away = is_away


@value
class RosterLine:
    """A student's line of the roster."""

    secret: str = field(default="", repr=False)
    student_id: str = ""
    gammonx_id: str = ""
    """A GUID in lower case; empty if the student has none."""
    team: str = ""
    """The name of the student's team; empty if the student has none."""
    row: int = field(default=0, eq=False)
    """The line of the file, from 1; 0 for none."""


@value
class StoredRoster:
    """The roster in the database: the table as CSV, and how often it was written; 0 if it never was."""

    version: int
    text: str = field(repr=False)


@define
class SharedRoster:
    """The roster in a database, for all halls, as it was seen last, with a number that rises with every change.

    A login cannot wait for a database, so the server looks for changes every two seconds, in a thread (`look`), and
    logins are judged by what it saw last. A writer names the number of the table that the new one was made of, and is
    refused if somebody else was quicker. `open_connection` gives a connection to read by; `close` ends what it keeps.
    """

    _open_connection: Callable[[], AbstractContextManager[DatabaseConnection]]
    close: Callable[[], None]
    _seen: StoredRoster = field(default=StoredRoster(-1, ""), init=False)

    @property
    def version(self) -> int:
        """The number of the roster in the database that was seen last."""
        return self._seen.version

    def look(self) -> None:
        """Read the roster in the database if it has changed, which may take long. Raises `RosterError`."""
        try:
            with self._open_connection() as connection:
                self._seen = read_stored(connection, self.version) or self._seen
        except DatabaseError as error:
            is_away = isinstance(error, DatabaseAway)
            raise RosterError(f"{SOURCE} cannot be read: {error}", is_away=is_away) from error

    def listed(self) -> Mapping[str, RosterLine]:
        """The players on the roster in the database as it was seen last, by name. Raises `RosterError`."""
        text = self._seen.text
        return parse_roster(text, SOURCE) if text else {}


@define
class _Tally:
    """The wrong secrets for one name. Times are those of `SecretThrottle.now_s`."""

    since_s: float
    last_s: float
    tries: int = 0
    addresses: OrderedDict[str, None] = field(factory=OrderedDict)
    unlogged: int = 0
    logged_s: float = float("-inf")


@define
class SecretThrottle:
    """The throttle of wrong secrets: counts them by connection and by name.

    Only names on the roster are counted, so they are bounded.

    A limit per name or address would let one classmate lock another out: ten wrong secrets a second for a name would
    use it up for its owner too. So each connection has its own limit. The first `TRIES` wrong secrets are answered
    without a pause; the next try waits `PAUSE_S` and is checked too, and if it is wrong, the connection ends with its
    answer. An attacker can go on over new connections, of which all together are slowed down by `secret_queue`.
    """

    now_s: Callable[[], float]
    _by_session: dict[int, int] = field(factory=dict, init=False)
    _by_name: dict[str, _Tally] = field(factory=dict, init=False)

    def must_wait(self, session: int) -> bool:
        """True if the next secret of a connection has to wait `PAUSE_S`, after too many that were not the roster's."""
        return self._by_session.get(session, 0) >= TRIES

    def wrong(self, session: int, name: str, address: str) -> bool:
        """Count a secret of a connection that was not the roster's; True if it was the connection's last."""
        tries = self._by_session.get(session, 0) + 1
        self._by_session[session] = tries
        self.note(name, address)
        return tries > TRIES

    def forget(self, session: int) -> None:
        """Forget how many secrets of a closed connection were not the roster's."""
        self._by_session.pop(session, None)

    def under_attack(self, wall_ms: int) -> tuple[Attack, ...]:
        """The names on the roster for which wrong secrets were given, the most tried first; `wall_ms` is now.

        Wrong tokens of the admin listener are among them, under `ADMIN_TOKEN`.
        """
        self._forget_quiet()
        offset_ms = wall_ms - round(self.now_s() * 1000)
        found = (
            Attack(
                name,
                tally.tries,
                tuple(tally.addresses),
                offset_ms + round(tally.since_s * 1000),
                offset_ms + round(tally.last_s * 1000),
            )
            for name, tally in self._by_name.items()
        )
        return tuple(sorted(found, key=lambda attack: (-attack.tries, attack.name)))

    def note(self, name: str, address: str) -> None:
        """Note that a secret from this address was not the roster's for a name."""
        now_s = self.now_s()
        tally = self._by_name.get(name)
        if tally is None or now_s - tally.last_s > QUIET_S:
            tally = self._by_name[name] = _Tally(now_s, now_s)
        tally.tries += 1
        tally.unlogged += 1
        tally.last_s = now_s
        tally.addresses[address] = None
        tally.addresses.move_to_end(address)
        if len(tally.addresses) > ADDRESSES_MAX:
            tally.addresses.popitem(last=False)
        if now_s - tally.logged_s >= _LOG_EVERY_S:
            whose = {"player": name} if name else {"of": "the admin listener"}
            log.warning("wrong secret", **whose, address=address, count=tally.unlogged)
            tally.unlogged, tally.logged_s = 0, now_s

    def _forget_quiet(self) -> None:
        quiet = [name for name, tally in self._by_name.items() if self.now_s() - tally.last_s > QUIET_S]
        for name in quiet:
            del self._by_name[name]


@define
class Roster:
    """The roster: judges logins by names and secrets.

    Without `path` and `shared` there is none: names are anybody's. `only` refuses other names.

    A GammonX client of a student whose name is bound comes in without the secret while nobody else of that name is
    here, as no client of today sends one. With `gammonx_secret_required` it does not.
    """

    path: Path | None
    now_s: Callable[[], float]
    only: bool = False
    gammonx_secret_required: bool = False
    shared: SharedRoster | None = None
    throttle: SecretThrottle = field(init=False)
    _listed: Mapping[str, RosterLine] = field(factory=dict, init=False)
    _bound: frozenset[str] = field(default=frozenset(), init=False)
    """The names with secrets, case-folded."""
    _by_gammonx_id: Mapping[str, str] = field(factory=dict, init=False)
    """Names by GUID."""
    _longest: int = field(default=0, init=False)
    """Characters of the longest name."""
    _seen: object = field(default=None, init=False)

    @throttle.default
    def _no_guesses(self) -> SecretThrottle:
        return SecretThrottle(self.now_s)

    @property
    def binds_names(self) -> bool:
        """True if the roster binds any name to a secret."""
        return bool(self._bound)

    @property
    def exists(self) -> bool:
        """True if there is a roster, though it may have no names."""
        return self.path is not None or self.shared is not None

    def load(self) -> None:
        """Read the roster for the first time. Raises `RosterError`."""
        if self.shared is not None:
            self.shared.look()
        if self.exists:
            self._seen = self._version()
            self._take()

    def _take(self) -> None:
        if self.shared is not None:
            self._listed = self.shared.listed()
        else:
            assert self.path is not None, "asked by the callers"
            self._listed = read_roster(self.path)
        self._bound = frozenset(name.casefold() for name, one in self._listed.items() if one.secret)
        self._by_gammonx_id = {one.gammonx_id: name for name, one in self._listed.items() if one.gammonx_id}
        self._longest = max((max(len(name), len(name.casefold())) for name in self._listed), default=0)
        _warn_of_short_secrets(self._listed)

    def names(self) -> Collection[str]:
        """Every name on the roster, as it is now. Not changed in place: the same object, the same names."""
        self._refresh()
        return self._listed

    def student_ids(self) -> Mapping[str, str]:
        """The school's ids of the roster's students by name, as the file has them now."""
        self._refresh()
        return {name: one.student_id for name, one in self._listed.items() if one.student_id}

    def teams(self) -> Mapping[str, str]:
        """The teams of the roster's students by name, as it is now."""
        self._refresh()
        return {name: one.team for name, one in self._listed.items() if one.team}

    def season_students(self) -> Students:
        """The school's ids and the teams of everybody on the roster by name, as it is now, for seasons."""
        self._refresh()
        return {name: (one.student_id, one.team) for name, one in self._listed.items()}

    def students(self) -> Sequence[ListedStudent]:
        """The lines of the roster as it is now, without what is secret."""
        self._refresh()
        return [ListedStudent(name, one.gammonx_id, bool(one.secret), one.team) for name, one in self._listed.items()]

    def judged(self, command: Enter | Book) -> Enter | Book:
        """The login or booking, with the roster's proof in the place of its secret."""
        self._refresh()
        if isinstance(command, Enter) and command.anonymous:
            return evolve(command, secret=None)
        if isinstance(command, Book):
            return self._judged_booking(command)
        name, secret = command.name, command.secret
        if secret is None:
            name, secret = self._told_apart(name)
        slip = self._slip(name, secret)
        if slip is not None:
            return evolve(command, name=slip, secret=None, proof=Proof.SLIP)
        proof = self._proof(name, secret, command.session, command.address)
        return evolve(command, name=name, secret=None, proof=proof)

    def _judged_booking(self, command: Book) -> Book:
        """The booking with its proof, under the student's name if the roster knows whose identity it is."""
        secret, name = command.secret or "", self._by_gammonx_id.get(command.identity)
        if name is None:
            proof = self._proof(command.identity, secret, command.session, command.address)
            return evolve(command, secret=None, proof=proof)
        # No GammonX client of today sends a secret.
        is_excused = not secret and not self.gammonx_secret_required
        proof = Proof.OPEN if is_excused else self._proof(name, secret, command.session, command.address)
        return evolve(command, player=name, is_listed=True, secret=None, proof=proof)

    def name_to_prove(self, command: Enter | Book) -> str:
        """The name on the roster whose secret a command has to be compared with; empty if there is none."""
        self._refresh()
        if isinstance(command, Book):
            name, secret = self._by_gammonx_id.get(command.identity, command.identity), command.secret
        elif command.secret is None:
            name, secret = self._told_apart(command.name)
        else:
            name, secret = command.name, command.secret
        return name if secret and self.is_bound(name) else ""

    def is_bound(self, name: str) -> bool:
        """True if nobody can be logged in under this name without its secret on the roster."""
        listed = self._listed.get(name)
        return listed is not None and bool(listed.secret)

    def proof(self, name: str, secret: str, session: int, address: str) -> Proof:
        """The roster's proof that a person who claims this name, other than by a login, is its player."""
        self._refresh()
        return self._proof(name, secret, session, address)

    def _told_apart(self, typed: str) -> tuple[str, str]:
        """Split a name from the secret behind it. That takes the roster: names may contain blanks too."""
        if typed in self._listed:
            return typed, ""
        # No name is longer than the longest: input of thousands of words is not looked up by all of them.
        name, blank, _ = typed[: self._longest + 1].rpartition(" ")
        while blank and not self._is_known(name.rstrip()):
            name, blank, _ = name.rpartition(" ")
        return (name.rstrip(), typed[len(name) :].strip()) if blank else (typed, "")

    def _slip(self, name: str, secret: str) -> str | None:
        """The bound name that a person mistyped who gave a secret, beside the name or behind a blank; None if none is.

        The secret itself is not compared, or guesses could be checked here without limit.
        """
        if name in self._listed or name.casefold() in self._bound:
            return None
        words = name[: self._longest + 2].split(" ")
        ends = (len(words),) if secret else range(1, len(words))
        typed = (" ".join(words[:end]).rstrip() for end in ends)
        return next((one for one in typed if any(differs_by_one(one.casefold(), bound) for bound in self._bound)), None)

    def _is_known(self, name: str) -> bool:
        """True if a secret may follow, in any case of letters: else it would be shown as part of a name."""
        return name in self._listed or name.casefold() in self._bound

    def _proof(self, name: str, secret: str, session: int, address: str) -> Proof:
        listed = self._listed.get(name)
        wanted = None if listed is None else listed.secret
        if wanted is None and name.casefold() in self._bound:
            return Proof.UNPROVEN  # no player may look like another by a capital letter
        if wanted is None:
            return Proof.STRANGER if self.only and self.exists else Proof.OPEN
        if not wanted:
            return Proof.OPEN
        if not secret:
            return Proof.UNPROVEN
        if is_same_secret(secret, wanted):
            return Proof.PROVEN
        return Proof.TOO_OFTEN if self.throttle.wrong(session, name, address) else Proof.WRONG

    def _refresh(self) -> None:
        if not self.exists or (version := self._version()) == self._seen:
            return
        # Also where it cannot be read: one line of the log for each change is enough.
        self._seen = version
        try:
            self._take()
        except RosterError as error:
            log.warning("the changed roster cannot be used; the previous one stays in force", why=str(error))
        else:
            log.info("roster read", names=len(self._listed))

    def _version(self) -> object:
        """A value that changes with the roster."""
        if self.shared is not None:
            return self.shared.version
        assert self.path is not None, "asked by the callers"
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_mtime, found.st_size


def is_same_secret(given: str, wanted: str) -> bool:
    """Compare a secret with the roster's in a time that reveals nothing of it, not even its length."""
    # JSON can hold half a surrogate pair, which UTF-8 cannot.
    digests = (sha256(text.encode("utf-8", "surrogatepass")).digest() for text in (given, wanted))
    return compare_digest(*digests)


def short_secrets(listed: Mapping[str, RosterLine]) -> list[tuple[str, int]]:
    """The names on a roster whose secrets are short enough to be guessed, and their rows."""
    return [(name, one.row) for name, one in listed.items() if is_short(one.secret)]


def is_short(secret: str) -> bool:
    """True if a roster's secret is short enough to be guessed. An empty one is none."""
    if not secret:
        return False
    alphabet = sum(count for kind, count in _KINDS if not set(kind).isdisjoint(secret))
    alphabet += 0 if secret.isascii() else _OTHERS
    return len(secret) < SECRET_LENGTH_MIN or len(secret) * log2(alphabet or 1) < SECRET_BITS_MIN


def _warn_of_short_secrets(listed: Mapping[str, RosterLine]) -> None:
    """Log the names whose secrets are too short, without the secrets."""
    found = short_secrets(listed)
    if found:
        log.warning(
            "the roster has secrets that are short enough to be guessed",
            characters_min=SECRET_LENGTH_MIN,
            bits_min=SECRET_BITS_MIN,
            names=", ".join(f"{name} (row {row})" for name, row in found),
            hint="`gameserver roster FILE --renew-short` makes better ones",
        )


def differs_by_one(typed: str, name: str) -> bool:
    """True if a name typed at login is one slip off the roster: a letter wrong, missing, extra or two swapped."""
    if len(name) < _SLIP_LENGTH_MIN or abs(len(typed) - len(name)) > 1 or typed == name:
        return False
    start = next((at for at, (one, other) in enumerate(zip(typed, name, strict=False)) if one != other), len(typed))
    typed, name = typed[start:], name[start:]
    swapped = len(typed) > 1 and typed[1] + typed[0] + typed[2:] == name
    return swapped or name[1:] in {typed, typed[1:]} or typed[1:] == name


def read_roster(path: Path) -> Mapping[str, RosterLine]:
    """Read the players of a roster's file, by name. Raises `RosterError`."""
    try:
        # Excel writes a byte order mark in front of its "CSV UTF-8".
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise RosterError(f"{path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise RosterError(f"{path} is not UTF-8; save it as 'CSV UTF-8'") from error
    return parse_roster(text, str(path))


def parse_roster(text: str, source: str) -> Mapping[str, RosterLine]:
    """Parse the players of a roster in CSV, by name. Raises `RosterError`.

    The first line names the columns, in any order and case: `name` and `secret`, and whatever else the teacher keeps
    there. Comma, semicolon and tab are all understood. A line without a secret lists the name and binds it to nothing.
    A column `id` has the school's own ids, for grades. A column `gammonx_id` has the PlayerIds of GammonX clients: such
    a client then plays under the student's name. A column `team` has the names of teams.
    """
    try:
        return _parsed(text, source)
    except csv.Error as error:
        # Refuse the file: read on, an unclosed quotation mark would swallow all names below it.
        why = f"{error}; is there a quotation mark too many, or one too few?"
        raise RosterError(f"{source} is not a CSV table: {why}") from error


def _parsed(text: str, source: str) -> Mapping[str, RosterLine]:
    head = text.partition("\n")[0]
    # A spreadsheet set to Dutch or German writes semicolons, and a copied table has tabs.
    delimiter = max(",;\t", key=head.count)
    rows = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    columns = [cell.strip().casefold() for cell in next(rows, [])]
    missing = [name for name in ("name", "secret") if name not in columns]
    if missing:
        raise RosterError(f"{source}: the first line should name the columns, including {' and '.join(missing)}")
    listed: dict[str, RosterLine] = {}
    players: dict[str, str] = {}
    for row in rows:
        cells = dict(zip(columns, (cell.strip() for cell in row), strict=False))
        name = cells.get("name", "")
        if not name:
            continue
        if name in listed:
            raise RosterError(f"{source}, line {rows.line_num}: {name!r} appears twice")
        gammonx_id = cells.get("gammonx_id", "").casefold()
        problem = _problem_of_gammonx_id(name, gammonx_id, players) if gammonx_id else ""
        if problem:
            raise RosterError(f"{source}, line {rows.line_num}: {problem}")
        players[gammonx_id] = name
        secret, student_id, team = (cells.get(column, "") for column in ("secret", "id", "team"))
        listed[name] = RosterLine(secret, student_id, gammonx_id, team, rows.line_num)
    for name in listed:
        owner = players.get(name.casefold()) if is_guid(name) else None
        if owner is not None:
            raise RosterError(
                f"{source}: {name!r} is the gammonx_id of {owner!r} and has a line of its own; remove that"
            )
    return listed


def _problem_of_gammonx_id(name: str, gammonx_id: str, players: Mapping[str, str]) -> str:
    """The reason why a student cannot have this GUID; empty if they can. `players` are the names above, by GUID."""
    if not is_guid(gammonx_id) or gammonx_id == NO_GUID:
        return f"the gammonx_id {gammonx_id!r} of {name!r} is not a GUID of 32 digits and letters from a to f"
    if gammonx_id in players:
        return f"the gammonx_id {gammonx_id!r} of {name!r} is that of {players[gammonx_id]!r}, too"
    if not is_allowed_name(name, len(name)):
        return f"nobody can play under the name {name!r}, so it cannot have a gammonx_id"
    return ""


def read_stored(connection: DatabaseConnection, known: int = -1) -> StoredRoster | None:
    """Read the roster in the database; None if it is the one with this number still."""
    found = connection.execute("SELECT version, content FROM roster WHERE version <> ?", (known,)).fetchone()
    return None if found is None else StoredRoster(*found)


def write_stored(connection: DatabaseConnection, text: str, before: int) -> bool:
    """Replace the roster in the database that has this number; False if it is another one by now."""
    query = "UPDATE roster SET version = version + 1, content = ? WHERE version = ?"
    return bool(connection.execute(query, (text, before)).rowcount)
