"""The table of slices: how much of the event loop each kind of work may take at a time.

One thread serves everybody, so work that can come in floods is done for `slice_s` in a row and then rests for `rest_s`.
The moves of others are decided in the rest. Two reasons for the lengths hold everywhere:

* A slice is added to the next move's answer, so most are half a millisecond. The commands of a slice have to be decided
  and answered as well, which takes about twice as long again.
* A flood must not use up the processor. The system lets a process wait that has done so, 6 to 20 ms on a busy machine,
  and every player with it.

The figures were measured with clients that flood the server beside others that play. A comment beside each line names
its user: most are a `FairScheduler.share`.
"""

from collections.abc import Mapping

from gameserver.values import value


@value
class Slice:
    """Seconds of work in a row, and the seconds of rest that follow. The first piece of work may take longer."""

    slice_s: float
    rest_s: float = 0.0


SHARES: Mapping[str, Slice] = {
    # CommandQueue. All moves that wait, as far as 20 ms go: the first of a batch waits for the last. There is no rest,
    # because a commit follows.
    "batch": Slice(0.02),
    # CommandQueue, within a batch and behind its moves. A new match takes 0.3 to 0.4 ms. After three of them most
    # moves beside a flood are in batches without any. They stay in the batch, because they share its commit.
    "match requests": Slice(0.001, 0.002),
    # CommandQueue, between two batches. Without a rest, lists of players kept the sequencer at work for 99.7 % of the
    # time; now answers take a fifth, some thousands a second. The lobby has to be still, so the sequencer answers.
    "queries": Slice(0.0005, 0.002),
    # Share by address: commands of connections that sent several at once, requests, and handshakes of addresses that
    # connect too fast. Slices of 2 ms asked for 100 queries, whose answers took 3 ms before the next move was decided.
    "connections": Slice(0.0005, 0.003),
    # Share by address: input of connections that sent more than is read at once. A hundred lines without an end were
    # read all of the time, in passes of 4 ms and more.
    "backlogs": Slice(0.0005, 0.003),
    # Share: pages that begin. One at a time, because a page takes a millisecond or two: a hundred that were made in one
    # turn of the loop blocked all players for 2.3 s.
    "looks": Slice(0.002, 0.003),
    # Share by topic: viewers of pages that have changed. Four at a time, each of which is written up to 60 KB.
    "viewers": Slice(0.002, 0.005),
    # SharedPage, which rests for as many times as long as its page took: the lobby's takes 13 ms with 20 boards, in
    # pieces. It cannot rest after each piece, or a lone viewer would wait for all of the rests.
    "pages": Slice(0.001, 0.01),
    # `accept_forever`, which rests only where one of them came too fast: a class that connects all at once need not
    # wait. With 10 ms of rest, players with a secret waited behind a flood in the kernel's queue; 4 ms let in 1,000 a
    # second.
    "newcomers": Slice(0.001, 0.004),
    # Snapshotter, between two batches: 1,000 matches take fifty slices. Only the sequencer may look at the lobby.
    "snapshots": Slice(0.001),
}

REQUEST_S = 0.0005
"""Seconds that an HTTP request takes at the least: to be read, brought to its route, and answered."""
HANDSHAKE_S = 0.001
"""Seconds that a TLS handshake takes of the processor."""
LOOK_S = 0.002
"""Seconds that it takes to make most pages."""
VIEWER_S = 0.0006
"""Seconds that it takes to bring a viewer up to date; 0.4 to 0.5 ms with 500 viewers of the lobby."""
MATCH_REQUESTS_PART = 0.25
"""The part of the time taken by a batch's moves that match requests may take, if that is more than their slice: they
waited for those moves too."""
