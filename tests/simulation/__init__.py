"""A seeded simulator of the whole server, without sockets, threads or real time.

One seed drives the real core, batches, journal codec, replay, snapshots, clock, alarm and adapters
through what a bad network, bad clients and bad days can do to them, and holds them to what must
never be broken. First everything may go wrong; then nothing does any more, and everything must come
to its end.

    plan        what a run is made of                 sequence    decide, commit, release
    world       time, order, what happens when        process     clock, alarm, sockets around it
    faults      every kind of misfortune              endpoint    the server's end of a connection
    settling    the calm at the end                   house       the house players
    bot         a client that reads its own bytes     durable     the journal, and a lobby out of it
    view        a match as a client sees it           invariants  what holds of lobby and records
    manners     what clients say, and when            told        what holds of what clients were told
    heard       what can be said, in no protocol      fairness    what holds of time
    strategic   the text protocol's dialect of it     elsewhere   journals in another process
    wire        bytes on their way                    shrink      the smallest run that shows it
    run         one run, or what it found

Another protocol is one more dialect. `python -m tests.simulation --help` runs more of it.
"""
