"""The plan of a run: the parts that are measured, their sizes and times."""

import sys
from collections.abc import Sequence

from attrs import evolve, field, frozen

from tests.benchmarks.processes import Cores


@frozen
class Plan:
    """The size of a run. The default takes a few minutes."""

    cores: Cores = field(factory=lambda: Cores.chosen(pin=True))
    pairs: Sequence[int] = (1, 50, 100, 500, 1000)
    room_pairs: Sequence[int] = (1, 50, 500)
    """The matches at once in the protocol with rooms."""
    peer_pairs: Sequence[int] = (1, 50)
    """Matches at once beside the peers, of Tic-tac-toe."""
    peer_room_pairs: Sequence[int] = (50,)
    """The same of 3D Connect Four."""
    peer_warmup_s: float = 5.0
    """How long each server runs before it is measured. Node compiles hot code, which takes one match some seconds."""
    rounds: int = 3
    seconds: float = 3.0
    warmup_s: float = 1.0
    paced_pairs: int = 1000
    pause_s: float = 1.0
    connections: int = 5000
    idle_connections: int = 1000
    idle_s: float = 10.0
    watched_pairs: int = 100
    """Matches that are played while viewers look at the lobby."""
    watched_pause_s: float = 0.2
    viewers: Sequence[int] = (500,)
    settle_s: float = 1.0
    """How long a server is left alone before its memory or its idleness is looked at."""
    database_pairs: Sequence[int] = (1, 50, 500)
    """Matches at once on each database."""
    hall_pairs: Sequence[int] = (50, 500)
    """Matches at once in one hall, and in two."""
    commit_rows: Sequence[int] = (1, 15, 100)
    """Rows of a commit on each database."""
    commits: int = 2_000
    """The commits of a round."""
    proxied_pairs: Sequence[int] = (1, 500)
    """Half of the connections that speak through HAProxy."""
    data: str = ""
    """A PostgreSQL database whose user may create others, which are used and dropped; by default clusters are made."""
    failover_pairs: int = 500
    """Matches that lose their server."""
    failover_pause_s: float = 1.0
    """The mean time that their players take for a move."""
    failover_warmup_s: float = 3.0
    """How long they play before."""
    finished: int = 100_000
    unfinished: int = 1_000
    league_bots: int = 40
    """Bots that play a double round robin."""
    swiss_bots: int = 60
    """Bots that play a Swiss; an even number."""
    swiss_rounds: int = 9
    shown_bots: int = 24
    """Bots whose tournament is looked at."""
    shown_pause_s: float = 0.5
    """The mean time that they take for a move."""
    shown_s: float = 12.0
    game: Sequence[str] = ()
    """The games whose levels play each other; all by default."""
    levels: Sequence[str] = ()
    """Those levels, weakest first; by default random, novice, club and master, as far as a game has them."""
    games: int = 200
    """The games of an encounter."""
    workers: int = 0
    """The processes that play them; one for each core less one by default."""
    neighbours: bool = False
    """True if each level plays only the next one."""
    save_strengths: bool = False
    """True if the results go into the table that the house players' pages show."""

    def quick(self) -> "Plan":
        """A run of seconds, which shows that everything works. Its figures mean little."""
        return evolve(
            self,
            pairs=(2,),
            room_pairs=(2,),
            peer_pairs=(2,),
            peer_room_pairs=(2,),
            peer_warmup_s=0.1,
            rounds=1,
            seconds=0.5,
            warmup_s=0.1,
            paced_pairs=5,
            pause_s=0.1,
            connections=100,
            idle_connections=20,
            idle_s=0.5,
            settle_s=0.1,
            watched_pairs=2,
            watched_pause_s=0.05,
            viewers=(5,),
            proxied_pairs=(2,),
            database_pairs=(2,),
            hall_pairs=(2,),
            commit_rows=(1, 15),
            commits=20,
            failover_pairs=4,
            failover_pause_s=0.1,
            failover_warmup_s=0.5,
            finished=40,
            unfinished=4,
            league_bots=4,
            swiss_bots=4,
            swiss_rounds=2,
            shown_bots=4,
            shown_pause_s=0.3,
            shown_s=3.0,
            game=("Tic-tac-toe",),
            games=4,
        )


def note(text: str) -> None:
    """Tell how far we are."""
    print(text, file=sys.stderr, flush=True)
