"""The roster: a table that binds names to secrets, so that nobody else can log in under them.

`roster_file` says what is in it. It is in a file, or in the database (`shared_roster`), and is read again at the next
login after it has changed. If it cannot be read any more, the old roster stays, and the log gets a line. Secrets stay
here: they go neither into the lobby nor into the journal or the log.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import sha256
from hmac import compare_digest
from math import log2
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase, digits, punctuation

import structlog
from attrs import define, evolve, field

from gameserver.authentication.roster_file import Listed, RosterError, read_roster
from gameserver.authentication.secret_throttle import SecretThrottle
from gameserver.authentication.shared_roster import SharedRoster
from gameserver.core.commands import Book, Enter
from gameserver.core.identity import Proof
from gameserver.read_model.views import ListedStudent

SECRET_LENGTH_MIN = 10
"""Shorter secrets can be guessed: a right one is accepted however many wrong ones came before it."""
SECRET_BITS_MIN = 40
"""The same, for the length times the bits of a character that is drawn by chance: ten digits have 33."""
_KINDS = ((ascii_lowercase, 26), (ascii_uppercase, 26), (digits, 10), (punctuation + " ", 33))
_OTHERS = 100
"""Characters outside ASCII that a person may choose from."""
SLIP_LENGTH_MIN = 3
"""Shorter names are one letter away from too many others."""

log = structlog.get_logger()


@define
class Roster:
    """Judges logins. Without `path` and `shared` there is none: names are anybody's. `only` refuses other names.

    A GammonX client of a student whose name is bound comes in without the secret while nobody else of that name is
    here, as no client of today sends one. With `gammonx_secret_required` it does not.
    """

    path: Path | None
    now_s: Callable[[], float]
    only: bool = False
    gammonx_secret_required: bool = False
    shared: SharedRoster | None = None
    throttle: SecretThrottle = field(init=False)
    _listed: Mapping[str, Listed] = field(factory=dict, init=False)
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
        """True if any name is bound to a secret."""
        return bool(self._bound)

    @property
    def exists(self) -> bool:
        """True if there is a roster, though it may have no names."""
        return self.path is not None or self.shared is not None

    def load(self) -> None:
        """Read it for the first time. Raises `RosterError`."""
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
        warn_of_short_secrets(self._listed)

    def names(self) -> Collection[str]:
        """Every name on the roster, as the file has them now. Not changed in place: the same object, the same names."""
        self._refresh()
        return self._listed

    def student_ids(self) -> Mapping[str, str]:
        """The school's ids by name, as the file has them now."""
        self._refresh()
        return {name: one.student_id for name, one in self._listed.items() if one.student_id}

    def students(self) -> Sequence[ListedStudent]:
        """The lines of the file as it is now, without what is secret."""
        self._refresh()
        return [ListedStudent(name, one.gammonx_id, bool(one.secret)) for name, one in self._listed.items()]

    def judged(self, command: Enter | Book) -> Enter | Book:
        """The command with its proof (`standing`) in the place of the secret."""
        self._refresh()
        if isinstance(command, Enter) and command.anonymous:
            return evolve(command, secret=None)
        if isinstance(command, Book):
            return self._judged_booking(command)
        name, secret = (command.name, command.secret)
        if secret is None:
            name, secret = self._told_apart(command.name)
        slip = self._slip(name, secret)
        if slip is not None:
            return evolve(command, name=slip, secret=None, standing=Proof.SLIP)
        standing = self._standing(name, secret, command.session, command.address)
        return evolve(command, name=name, secret=None, standing=standing)

    def _judged_booking(self, command: Book) -> Book:
        """The booking with its proof, under the student's name if the roster knows whose identity it is."""
        secret, name = command.secret or "", self._by_gammonx_id.get(command.identity)
        if name is None:
            standing = self._standing(command.identity, secret, command.session, command.address)
            return evolve(command, secret=None, standing=standing)
        is_excused = not secret and not self.gammonx_secret_required
        standing = Proof.OPEN if is_excused else self._standing(name, secret, command.session, command.address)
        return evolve(command, player=name, is_listed=True, secret=None, standing=standing)

    def name_to_prove(self, command: Enter | Book) -> str:
        """The name whose secret the command has to be compared with; empty if it is not compared with any."""
        self._refresh()
        if isinstance(command, Book):
            name, secret = self._by_gammonx_id.get(command.identity, command.identity), command.secret
        elif command.secret is None:
            name, secret = self._told_apart(command.name)
        else:
            name, secret = command.name, command.secret
        return name if secret and self.is_bound(name) else ""

    def is_bound(self, name: str) -> bool:
        """True if nobody can be logged in under this name without its secret."""
        listed = self._listed.get(name)
        return listed is not None and bool(listed.secret)

    def standing(self, name: str, secret: str, session: int, address: str) -> Proof:
        """The proof that a person who claims this name, other than by a login, is its player."""
        self._refresh()
        return self._standing(name, secret, session, address)

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

    def _standing(self, name: str, secret: str, session: int, address: str) -> Proof:
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
        """Read it again if it has changed."""
        if not self.exists or (version := self._version()) == self._seen:
            return
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
    """Compare in a time that reveals nothing of `wanted`, not even its length."""
    # JSON can hold half a surrogate pair, which UTF-8 cannot.
    digests = (sha256(text.encode("utf-8", "surrogatepass")).digest() for text in (given, wanted))
    return compare_digest(*digests)


def short_secrets(listed: Mapping[str, Listed]) -> list[tuple[str, int]]:
    """The names whose secrets are short enough to be guessed, and their rows."""
    return [(name, one.row) for name, one in listed.items() if is_short(one.secret)]


def is_short(secret: str) -> bool:
    """True if a secret can be guessed. An empty one is none."""
    if not secret:
        return False
    alphabet = sum(count for kind, count in _KINDS if not set(kind).isdisjoint(secret))
    alphabet += 0 if secret.isascii() else _OTHERS
    return len(secret) < SECRET_LENGTH_MIN or len(secret) * log2(alphabet or 1) < SECRET_BITS_MIN


def warn_of_short_secrets(listed: Mapping[str, Listed]) -> None:
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
    """True if one letter is wrong, missing or too many, or two have changed places, in a name of three or more."""
    if len(name) < SLIP_LENGTH_MIN or abs(len(typed) - len(name)) > 1 or typed == name:
        return False
    start = next((at for at, (one, other) in enumerate(zip(typed, name, strict=False)) if one != other), len(typed))
    typed, name = typed[start:], name[start:]
    swapped = len(typed) > 1 and typed[1] + typed[0] + typed[2:] == name
    return swapped or name[1:] in {typed, typed[1:]} or typed[1:] == name
