"""A seeded simulator of the whole server, without sockets, threads or real time.

One seed drives the server that ships, in all its parts, through what a bad network, bad clients and bad days can do to
it, and holds it to what must never be broken. First everything may go wrong; then nothing does any more, and everything
must come to its end.

A run:

    plan              the draws that it is made of, for each kind of run
    world             time, order, events, and the calm at the end
    faults            the kinds of faults, a function each
    run               one run or its failure, the smallest run that shows it, and the same runs in another process
    violation         the exception for a broken rule

The surroundings of the server, which are all that is not the real thing:

    power             the machine, one life of the server's process, and the points where its power may fail
    kernel            sockets, epoll, and how tasks wait for them
    wire              bytes on their way
    disk              the journal, in a tenth of the runs a real file, and a lobby out of it, which is the truth
    witness           an observer of adapters, which notes what the server means by its bytes
    ladders           the teacher who opens a ladder, and the minutes between its matches
    tournaments       the teacher who wants them, and their end
    rosters           names bound to secrets

Clients, which the strict clients of `tests.clients` hold to the protocols:

    client            their base
    bot               the text protocol, in the spellings and profiles of known clients
    manners           what bots say, and when
    rooms             3D Connect Four, with answers that come late
    breaker           Mastermind, by line and WebSocket
    tickets           GammonX, by REST and the hub
    browsers          the protocol `web`, by WebSocket
    spectators        readers of pages, and the operator at the admin listener

The rules:

    audit             of every row, record and position
    told              of what clients were told, and of the time that they were given
    banks             of the banks of time that players have for a match
    fairness          of chance: draws follow from what was told before, and nobody is told too early
    secrets           of bytes: what must be in nobody's
    planted           bugs planted on purpose, each of which must be found

A tournament is also held twice, in peace and with interruptions, and must end alike:

    interrupted       the world with it, and its players, whose acts follow from their matches

Two servers over one database, one of which takes over from the other:

    standby           the world with both, or with two halls side by side
    contender         one life of one of the two: it stands by, then leads; its journal and its host
    threads           its threads, as greenlets, and how it stands still
    shared_database   the database, with a lock, ratings, and a replica that may be promoted
    database_session  a connection to it

A new protocol needs a new kind of client. `python -m tests.simulation --help` runs more of it.
"""
