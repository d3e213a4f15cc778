"""Index of the pairings so far, because each new pairing needs all of them; and lots.

`History.of` goes through every pairing. `History.after` makes the index of a later state of the same tournament out of
this one, and looks only at what has changed: a planner asks after every game, and a double round robin of 40 has 1,560
of them.

A lot can be checked: it is a keyed digest of what it is drawn for, whatever was drawn before.
"""

import hmac
from collections.abc import Iterable, Mapping

import attrs

from gameserver.tournaments.model import Pairing, PairingStatus, Tournament
from gameserver.values import value

Pair = tuple[str, str]
Place = tuple[int, int]
"""Round and board: where an encounter is played."""


def pair_of(one: str, other: str) -> Pair:
    """Two names in the order in which pairs are looked up."""
    return (one, other) if one <= other else (other, one)


@value
class History:
    """Every pairing that counts or may still count, by its players and place."""

    tournament: Tournament
    meetings: Mapping[Pair, Mapping[int, Pairing]]
    """Pairings that are open or done, by pair and meeting."""
    encounters: Mapping[Place, Mapping[int, Pairing]]
    """The same by round and board, and game."""
    voided: Mapping[tuple[Pair, int], int]
    """Count of voided games, by pair and meeting."""
    owed: tuple[Pairing, ...]
    """Voided pairings that nothing has replaced yet."""
    open: Mapping[int, Pairing]
    """Pairings that are announced or being played, by number."""
    busy: Mapping[str, Pairing]
    """The players of these; house players never count as busy."""
    seats: Mapping[str, tuple[int, ...]]
    """The seats that each player has had or been given, in order. What was not played does not count."""

    @classmethod
    def of(cls, tournament: Tournament) -> "History":
        """Index this tournament's pairings."""
        meetings: dict[Pair, dict[int, Pairing]] = {}
        encounters: dict[Place, dict[int, Pairing]] = {}
        voided: dict[tuple[Pair, int], int] = {}
        void: dict[tuple[int, int, int], Pairing] = {}
        keeping: dict[int, Pairing] = {}
        busy: dict[str, Pairing] = {}
        seats: dict[str, list[int]] = {}
        house = tournament.house_names
        for pairing in tournament.pairings:
            pair, at = pairing.pair, (pairing.round, pairing.board, pairing.game)
            if pairing.status is PairingStatus.VOID:
                voided[pair, pairing.meeting] = voided.get((pair, pairing.meeting), 0) + 1
                void[at] = pairing
                continue
            void.pop(at, None)
            meetings.setdefault(pair, {})[pairing.meeting] = pairing
            encounters.setdefault((pairing.round, pairing.board), {})[pairing.game] = pairing
            if pairing.keeps_players:
                keeping[pairing.number] = pairing
            for seat, player in enumerate(pairing.seats):
                if pairing.played:
                    seats.setdefault(player, []).append(seat)
                if pairing.keeps_players and player not in house:
                    busy[player] = pairing
        return cls(
            tournament,
            meetings,
            encounters,
            voided,
            tuple(void.values()),
            keeping,
            busy,
            {player: tuple(taken) for player, taken in seats.items()},
        )

    def after(self, tournament: Tournament) -> "History":
        """The index of another state of this tournament, made of this one where it followed by what usually happens.

        That is: pairings were announced, begun, and have got results. Everything else is indexed anew.
        """
        before = self.tournament
        if before.entrants is not tournament.entrants or before.plan is not tournament.plan or self.owed:
            return History.of(tournament)
        if len(tournament.pairings) < len(before.pairings):
            return History.of(tournament)
        known = zip(before.pairings, tournament.pairings, strict=False)
        moved_on = [(old, new) for old, new in known if old is not new]
        new = tournament.pairings[len(before.pairings) :]
        if not all(_has_moved_on(*change) for change in moved_on) or any(
            one.status is PairingStatus.VOID for one in new
        ):
            return History.of(tournament)
        return self._with(tournament, [new for _, new in moved_on], new)

    def _with(self, tournament: Tournament, moved_on: Iterable[Pairing], new: Iterable[Pairing]) -> "History":
        meetings, encounters = dict(self.meetings), dict(self.encounters)
        keeping, busy, seats = dict(self.open), dict(self.busy), dict(self.seats)
        house = tournament.house_names
        for pairing in (*moved_on, *new):
            meetings[pairing.pair] = {**meetings.get(pairing.pair, {}), pairing.meeting: pairing}
            place = (pairing.round, pairing.board)
            encounters[place] = {**encounters.get(place, {}), pairing.game: pairing}
            people = [name for name in pairing.seats if name not in house]
            if pairing.keeps_players:
                keeping[pairing.number] = pairing
                busy.update(dict.fromkeys(people, pairing))
                continue
            keeping.pop(pairing.number, None)
            for name in people:
                if name in busy and busy[name].number == pairing.number:
                    del busy[name]
        for pairing in new:
            for seat, player in enumerate(pairing.seats):
                if pairing.played:
                    seats[player] = (*seats.get(player, ()), seat)
        return History(tournament, meetings, encounters, self.voided, (), keeping, busy, seats)

    def meetings_of(self, one: str, other: str) -> Mapping[int, Pairing]:
        """The pairings of these two with each other, played or to be played, by meeting."""
        return self.meetings.get(pair_of(one, other), {})

    def next_meeting(self, one: str, other: str) -> int:
        """The number of their next meeting: the first that is missing, so that a voided one is filled again."""
        taken = self.meetings_of(one, other)
        return next(number for number in range(1, len(taken) + 2) if number not in taken)

    def seat_balance(self, player: str) -> int:
        """The player's games in the first seat, less those in the second."""
        taken = self.seats.get(player, ())
        return len(taken) - 2 * sum(taken)

    def chance(self, one: str, other: str, meeting: int) -> str:
        """The label from which the dice of a meeting are drawn.

        Two meetings that follow each other with the seats changed share it, where the plan says so. A
        voided game is played with new dice, unless its counterpart has been played with the old ones.
        """
        pair = pair_of(one, other)
        if not self.tournament.plan.same_chance:
            return f"single|{meeting}|{self.voided.get((pair, meeting), 0)}|{pair[0]}|{pair[1]}"
        partner = meeting + 1 if meeting % 2 else meeting - 1
        counterpart = self.meetings.get(pair, {}).get(partner)
        if counterpart is not None:
            return counterpart.chance
        attempt = sum(self.voided.get((pair, number), 0) for number in (meeting, partner))
        return f"both|{(meeting - 1) // 2}|{attempt}|{pair[0]}|{pair[1]}"

    def drawn_up(self, place: Place, game: int, first: str, second: str, meeting: int | None = None) -> Pairing:
        """A pairing without its number yet.

        `first` gets the first seat, unless it is the second of two meetings: that one turns the seats round.
        """
        meeting = self.next_meeting(first, second) if meeting is None else meeting
        before = self.meetings_of(first, second).get(meeting - 1) if meeting % 2 == 0 else None
        seats = (first, second) if before is None else (before.seats[1], before.seats[0])
        return Pairing(0, *place, game, meeting, seats, self.chance(first, second, meeting))

    def again(self, pairing: Pairing) -> Pairing:
        """The replay of a voided pairing, without its number yet."""
        fresh = Pairing(0, pairing.round, pairing.board, pairing.game, pairing.meeting, pairing.seats, "")
        return attrs.evolve(fresh, chance=self.chance(*pairing.seats, pairing.meeting))


def _has_moved_on(old: Pairing, new: Pairing) -> bool:
    """True if an open pairing was begun or has got a result, and is counted where it was before."""
    return old.is_open and new.status is not PairingStatus.VOID and new.played is old.played and new.seats == old.seats


def lot(seed: str, purpose: str, name: str) -> int:
    """A number that nobody can foretell without the seed; players are ordered by it."""
    return int.from_bytes(hmac.digest(bytes.fromhex(seed), f"{purpose}|{name}".encode(), "sha256"))


def by_lot(names: Iterable[str], seed: str, purpose: str) -> tuple[str, ...]:
    """The names in an order drawn by lot, the same for any order in which they are given."""
    return tuple(sorted(names, key=lambda name: (lot(seed, purpose, name), name)))
