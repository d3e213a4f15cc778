"""Judges newcomers' names by the names that they look like, and calls the roll of the roster.

Two names in pure ASCII are compared exactly: `Bot` and `bot` are two players.
Any other pair is compared by its skeletons (Unicode Technical Standard 39): `zoe` and the same word
in Cyrillic or full-width letters, or composed and decomposed, have one skeleton. Characters are judged
by PRECIS (RFC 8264, FreeformClass), which refuses what is invisible and lets every script in.

Both judgements come from tables that change with Unicode, so the core does not make them. They come
to it with the command, and only refusals depend on them: a journal replays alike under later tables.

The libraries take 80 ms to import, so a lobby whose names are all ASCII never imports them.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache

import structlog
from attrs import define, evolve, field

from gameserver.authentication.roster import Roster, differs_by_one
from gameserver.core.commands import Enter
from gameserver.core.identity import RESERVED_NAMES, is_allowed_name, is_reserved_name
from gameserver.core.lobby import Lobby
from gameserver.read_model.views import AdminLobbyView, AdminPlayerView, RollCall, StudentView

log = structlog.get_logger()


@define
class Lookalikes:
    """The judge of newcomers' names by the names that they look like.

    `listed` gives the roster's: each is always allowed as it stands there.
    """

    listed: Callable[[], Collection[str]]
    _listed_wide: Collection[str] = field(default=(), init=False)
    """The names on the roster that are not pure ASCII."""
    _listed_seen: Collection[str] = field(default=(), init=False)
    """The roster that `_listed_wide` was made from."""

    def judged(self, lobby: Lobby, command: Enter) -> Enter:
        """A login with what is wrong with its name, compared with the names in this lobby and on the roster."""
        name = command.name
        listed = self.listed()
        if command.anonymous or name in listed or self._is_known(lobby, name):
            return command
        if name.isascii():
            wide = [*self._wide(listed), *(one for one in _in_use(lobby) if not one.isascii())]
            return evolve(command, resembles=_resembled(name, wide)) if wide else command
        if not is_allowed_name(name, lobby.server[""].rules.name_length_max):
            return command  # refused in any case, and perhaps too long to judge
        from gameserver.authentication.unicode_names import plain, problem_of  # noqa: PLC0415 - 80 ms that few lobbies need

        problem, letters = problem_of(name), plain(name)
        if problem or is_reserved_name(letters):
            return evolve(command, fault=problem, resembles=letters)
        return evolve(command, resembles=_resembled(name, (*RESERVED_NAMES, *listed, *_in_use(lobby))))

    def warn(self, lobby: Lobby, recorded: Iterable[str]) -> None:
        """Log the names on the roster, on record or in the lobby that would be refused as lookalikes if new."""
        known = dict.fromkeys((*self.listed(), *_in_use(lobby), *recorded))
        for name, why in _doubtful(known):
            log.warning("a name on the roster or on record would be refused if it were new", name=name, why=why)

    @staticmethod
    def _is_known(lobby: Lobby, name: str) -> bool:
        """True if the name is that of a player who holds a seat or takes part in a tournament: they come back."""
        return name in lobby.seated or name in _entrants(lobby)

    def _wide(self, listed: Collection[str]) -> Collection[str]:
        # The roster gives the same object until it changes.
        if listed is not self._listed_seen:
            self._listed_seen = listed
            self._listed_wide = [name for name in listed if not name.isascii()]
        return self._listed_wide


def _doubtful(names: Mapping[str, None]) -> Iterator[tuple[str, str]]:
    """The names outside ASCII that would be refused if they were new, each with the reason."""
    wide = [name for name in names if not name.isascii()]
    if not wide:
        return
    from gameserver.authentication.unicode_names import problem_of, skeleton  # noqa: PLC0415 - as above

    first_with: dict[str, str] = {}
    for name in names:
        first = first_with.setdefault(skeleton(name), name)
        if first != name and not (first.isascii() and name.isascii()):
            yield name, f"it looks like {first!r}"
    for name in wide:
        why = problem_of(name)
        if why:
            yield name, why


def _in_use(lobby: Lobby) -> Iterator[str]:
    """The names of all players who are here, hold a seat, play for the house or take part in a tournament."""
    yield from lobby.players
    yield from lobby.seated
    yield from (house.name for house in lobby.server[""].house)
    yield from _entrants(lobby)


def _entrants(lobby: Lobby) -> Iterator[str]:
    for row in lobby.tournaments.values():
        if not row.is_over:
            yield from (entrant.name for entrant in row.state.entrants)


def _resembled(name: str, others: Iterable[str]) -> str:
    """The first of the other names that looks like this one, though it is not the same; empty if none does."""
    from gameserver.authentication.unicode_names import skeleton  # noqa: PLC0415 - as above

    wanted = skeleton(name)
    return next((other for other in others if other != name and skeleton(other) == wanted), "")


@define
class SimilarNames:
    """An index of names that finds the one which somebody may have meant who typed another one.

    Two names are similar if they differ by capitals alone, look alike in other letters, or differ by one letter. A
    class has few names, and a hall hundreds of players: a name of n letters is looked up n + 1 times, however long the
    list is.
    """

    names: Collection[str]
    _places: dict[str, int] = field(factory=dict, init=False)
    _by_look: dict[str, list[str]] = field(factory=dict, init=False)
    _by_letters: dict[str, list[str]] = field(factory=dict, init=False)
    """Names, by themselves and by what is left of them without any one letter, case-folded."""

    def __attrs_post_init__(self) -> None:
        for place, name in enumerate(self.names):
            self._places[name] = place
            self._by_look.setdefault(_look(name), []).append(name)
            # A slip leaves the rest of the name equal but for one letter, so both share a text with one letter left
            # out.
            for key in dict.fromkeys(_with_gaps(name.casefold())):
                self._by_letters.setdefault(key, []).append(name)

    def to(self, typed: str) -> tuple[str, ...]:
        """The names that are similar to this one, in the order of the list; not the name itself."""
        folded = typed.casefold()
        near = dict.fromkeys(name for key in _with_gaps(folded) for name in self._by_letters.get(key, ()))
        found = {name for name in near if name.casefold() == folded or differs_by_one(folded, name.casefold())}
        found.update(self._by_look.get(_look(typed), ()))
        return tuple(sorted(found - {typed}, key=self._places.__getitem__))

    def __contains__(self, name: str) -> bool:
        return name in self._places


def _with_gaps(folded: str) -> Iterator[str]:
    yield folded
    yield from (folded[:at] + folded[at + 1 :] for at in range(len(folded)))


def _look(name: str) -> str:
    from gameserver.authentication.unicode_names import skeleton  # noqa: PLC0415 - 80 ms that few servers need

    return skeleton(name).casefold()


# The teacher's page calls the roll whenever the lobby changes; the roster hardly ever does.
_similar_names = lru_cache(maxsize=1)(SimilarNames)


def roll_call(roster: Roster, lobby: AdminLobbyView) -> RollCall | None:
    """Calls the roll by the look of names: students here, missing, or here under a name much like theirs.

    Lists every student, in the roster's order, and the players who are on no line of it. None without a roster.
    """
    if not roster.exists:
        return None
    students = roster.students()
    here = {player.name: player for player in lobby.players}
    similar = _similar_names(tuple(student.name for student in students))
    mistaken: dict[str, list[AdminPlayerView]] = {}
    unlike = []
    for player in lobby.players:
        if player.name in similar:
            continue
        missing = [name for name in similar.to(player.name) if name not in here]
        for name in missing:
            mistaken.setdefault(name, []).append(player)
        if not missing:
            unlike.append(player)
    seats = {name: match.match for match in lobby.matches for name in match.away}
    searching = {ticket.player for ticket in lobby.tickets if not ticket.is_here}
    return RollCall(
        tuple(
            StudentView(
                one.name,
                one.gammonx_id,
                here.get(one.name),
                tuple(mistaken.get(one.name, ())),
                seats.get(one.name),
                is_expected=one.name in searching,
                team=one.team,
            )
            for one in students
        ),
        tuple(unlike),
    )
