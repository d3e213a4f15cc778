"""The time that a tournament still takes, by the longest chain of games.

A player has one game at a time. So a tournament ends no sooner than the player who has the most left to play at their
own pace, however fast the others are: a mean over all games would promise an end in 30 s while one slow player has
twenty games to go. In a knockout the chain leads through the tree to its last encounter. House players play any number
of games at once and make no chain.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from gameserver.tournaments.formats import knockout, round_robin
from gameserver.tournaments.formats.history import History, pair_of
from gameserver.tournaments.model import PairingStatus, Tournament
from gameserver.tournaments.plan import Format
from gameserver.values import value


@value
class Chain:
    """Games that can only be played one after the other, the present one included; and the games done before them."""

    player: str
    left: int
    done: int

    def takes_ms(self, ran_ms: int) -> int:
        """The time for it, at the pace of the games that were done in `ran_ms`.

        The first game takes at least as long as it has taken so far.
        """
        return self.left * ran_ms // max(1, self.done)


def longest_chain_ms(tournament: Tournament, ran_ms: int) -> int:
    """The time that the longest chain will take; 0 if no player has a game left."""
    chains = _CHAINS[tournament.plan.format](tournament)
    began = _late_entries(tournament)
    return max((one.takes_ms(ran_ms - int(ran_ms * began.get(one.player, 0))) for one in chains), default=0)


def _people(tournament: Tournament) -> dict[str, None]:
    return dict.fromkeys(entrant.name for entrant in tournament.active if not entrant.house)


def _done(tournament: Tournament) -> Counter[str]:
    """The games that each player has behind them. No-shows and walkovers are done like games."""
    return Counter(
        name for pairing in tournament.pairings if pairing.status is PairingStatus.DONE for name in pairing.seats
    )


def _late_entries(tournament: Tournament) -> Mapping[str, float]:
    """The part of the pairings so far that were made before a player's first, for players who came late."""
    first: dict[str, int] = {}
    for pairing in tournament.pairings:
        for name in pairing.seats:
            first.setdefault(name, pairing.number)
    count = len(tournament.pairings)
    # All who were there at the start are in one of so many pairings.
    return {name: (number - 1) / count for name, number in first.items() if number > len(tournament.entrants)}


def _of_fixtures(tournament: Tournament) -> Iterator[Chain]:
    history, left = History.of(tournament), Counter[str]()
    out = {entrant.name for entrant in tournament.entrants if entrant.is_out}
    for fixture in round_robin.fixtures(tournament):
        taken = history.meetings.get(pair_of(fixture.first, fixture.second), {})
        meetings = range(fixture.from_meeting, fixture.from_meeting + tournament.plan.games)
        open_games = sum(number not in taken or taken[number].is_open for number in meetings)
        if fixture.first not in out and fixture.second not in out:
            left[fixture.first] += open_games
            left[fixture.second] += open_games
    done = _done(tournament)
    return (Chain(name, left[name], done[name]) for name in _people(tournament))


def _of_rounds(tournament: Tournament) -> Iterator[Chain]:
    """In a Swiss everybody has a game, or several, in each round to come, besides what is left of this one."""
    games = tournament.plan.games
    to_come = (tournament.rounds - tournament.round) * games
    ended = Counter[tuple[int, int]]()
    players: dict[tuple[int, int], tuple[str, str]] = {}
    for pairing in tournament.pairings:
        if pairing.status is not PairingStatus.VOID:
            place = (pairing.round, pairing.board)
            players[place] = pairing.seats
            ended[place] += not pairing.is_open
    now = Counter[str]()
    for place, seats in players.items():
        now.update(dict.fromkeys(seats, games - ended[place]))
    done = _done(tournament)
    return (Chain(name, to_come + now[name], done[name]) for name in _people(tournament))


def _through_the_tree(tournament: Tournament) -> Iterator[Chain]:
    nodes = knockout.nodes_now(History.of(tournament))
    games, done, people = tournament.plan.games, _done(tournament), _people(tournament)
    longest = [0] * len(nodes)
    for index in reversed(range(len(nodes))):
        now = nodes[index]
        played = sum(not pairing.is_open for pairing in now.games)
        is_left = now.winner is None and not now.node.decider
        longest[index] += max(1, games - played) if is_left else 0
        for source in (now.node.first, now.node.second):
            if source.kind is not knockout.From.SEED:
                longest[source.index] = max(longest[source.index], longest[index])
    most = max(done.values(), default=0)
    for now, left in zip(nodes, longest, strict=True):
        if now.winner is None and now.is_playable:
            # Players who had a bye have no pace of their own yet.
            pace = max((done[name] for name in now.players if name), default=0) or most
            yield from (Chain(name, left, pace) for name in now.players if name in people and name is not None)


def _no_chain(tournament: Tournament) -> Iterator[Chain]:
    return iter(())


_CHAINS: Mapping[Format, Callable[[Tournament], Iterator[Chain]]] = {
    Format.ROUND_ROBIN: _of_fixtures,
    Format.GAUNTLET: _of_fixtures,
    Format.SWISS: _of_rounds,
    Format.KNOCKOUT: _through_the_tree,
    Format.DOUBLE_ELIMINATION: _through_the_tree,
    Format.ARENA: _no_chain,
}
