"""Index of the pairings so far, because each new pairing needs all of them; and orders drawn by lot.

`History.of` goes through every pairing. `History.after` makes the index of a later state of the same tournament out of
this one, and looks only at what has changed: a planner asks after every game, and a double round robin of 40 has 1,560
of them.
"""

from collections.abc import Iterable, Mapping

import attrs

from gameserver.chance import lot
from gameserver.tournaments.model import PAIR_LABEL, Pairing, PairingStatus, Tournament
from gameserver.values import value

Pair = tuple[str, str]
Place = tuple[int, int]
"""Round and board: where an encounter is played."""


def pair_of(one: str, other: str) -> Pair:
    """Two names in the order in which a tournament's history looks their pairings up."""
    return (one, other) if one <= other else (other, one)


def are_mates(team_of: Mapping[str, str], one: str, other: str) -> bool:
    """True if two players of a tournament are in the same team, by the team of each player who has one."""
    return one in team_of and team_of[one] == team_of.get(other)


@value
class History:
    """The index of a tournament's pairings so far: those that count or may still count, by their players and place."""

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
        """Build the index of a tournament's pairings so far from nothing."""
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
            # Numbers rise, so what stands here later replaces what was voided before it.
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
        """Update the index of pairings to a later state of this tournament, looking only at what has changed.

        That is: pairings were announced, begun, and have got results. Everything else is indexed anew.
        """
        before = self.tournament
        # Identity, not equality: comparing 1,560 pairings after every game would cost what the index saves.
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
        """The pairings of two players with each other so far, played or to be played, by the number of the meeting."""
        return self.meetings.get(pair_of(one, other), {})

    def next_meeting(self, one: str, other: str) -> int:
        """The number of two players' next meeting: the first that is missing so far, as a voided one leaves a gap."""
        taken = self.meetings_of(one, other)
        return next(number for number in range(1, len(taken) + 2) if number not in taken)

    def seat_balance(self, player: str) -> int:
        """A player's games so far in the first seat, less those in the second."""
        taken = self.seats.get(player, ())
        return len(taken) - 2 * sum(taken)

    def chance(self, one: str, other: str, meeting: int) -> str:
        """The label from which the dice of a meeting are drawn, given what these two have played so far.

        Two meetings that follow each other with the seats changed share it, where the plan says so. A
        voided game is played with new dice, unless its counterpart has been played with the old ones.
        """
        pair, draws = pair_of(one, other), self.tournament.draws
        after_round = draws[-1].after_round if draws else 0
        if not self.tournament.plan.same_chance:
            attempt = self.voided.get((pair, meeting), 0)
            return chance_label(pair, meeting, attempt, is_shared=False, after_round=after_round)
        # Meetings 1 and 2 are one pair of games, 3 and 4 the next.
        partner = meeting + 1 if meeting % 2 else meeting - 1
        counterpart = self.meetings.get(pair, {}).get(partner)
        if counterpart is not None:
            return counterpart.chance
        attempt = sum(self.voided.get((pair, number), 0) for number in (meeting, partner))
        return chance_label(pair, meeting, attempt, is_shared=True, after_round=after_round)

    def drawn_up(self, place: Place, game: int, first: str, second: str, meeting: int | None = None) -> Pairing:
        """A new pairing, without its number yet: seats and dice follow from what these two have played so far.

        `first` gets the first seat, unless it is the second of two meetings: that one turns the seats round.
        """
        meeting = self.next_meeting(first, second) if meeting is None else meeting
        before = self.meetings_of(first, second).get(meeting - 1) if meeting % 2 == 0 else None
        seats = (first, second) if before is None else (before.seats[1], before.seats[0])
        return Pairing(0, *place, game, meeting, seats, self.chance(first, second, meeting))

    def again(self, pairing: Pairing) -> Pairing:
        """The replay of a voided pairing of the history, in the same seats, without its number yet."""
        fresh = Pairing(0, pairing.round, pairing.board, pairing.game, pairing.meeting, pairing.seats, "")
        return attrs.evolve(fresh, chance=self.chance(*pairing.seats, pairing.meeting))


def chance_label(pair: tuple[str, str], meeting: int, attempt: int, *, is_shared: bool, after_round: int = 0) -> str:
    """The label of a meeting's chance in the history of a tournament: it leaves an operator nothing to choose.

    `attempt` counts how often the meeting, or one of the two that share the chance, was voided before. In a later stage
    meetings are counted anew, and the number of the round after which it began tells them from earlier ones.
    """
    kind, number = (PAIR_LABEL, (meeting - 1) // 2) if is_shared else ("single|", meeting)
    tried = f"{after_round}.{attempt}" if after_round else str(attempt)
    return f"{kind}{number}|{tried}|{pair[0]}|{pair[1]}"


def _has_moved_on(old: Pairing, new: Pairing) -> bool:
    """True if an open pairing was begun or has got a result, and is counted where it was before."""
    return old.is_open and new.status is not PairingStatus.VOID and new.played is old.played and new.seats == old.seats


def by_lot(names: Iterable[str], seed: str, purpose: str) -> tuple[str, ...]:
    """Names in an order drawn by lot from the tournament's seed, the same for any order in which they are given."""
    return tuple(sorted(names, key=lambda name: (lot(seed, purpose, name), name)))
