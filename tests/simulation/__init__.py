"""A seeded simulator of the whole server, without sockets, threads or real time.

One seed drives the server that ships, in all its parts, through what a bad network, bad clients and bad days can do to
it, and holds it to what must never be broken. First everything may go wrong; then nothing does any more, and everything
must come to its end.

A run:

    plan                 what it is made of
    world                time, order, what happens when, and the calm at the end
    faults, misfortunes  every kind of misfortune
    run, shrink, violation
                         one run or what it found, the smallest run that shows it, and what is raised then

The surroundings of the server, which are all that is not the real thing:

    power                the machine, one life of the server's process, and the points where its power may fail
    kernel, wire         sockets and how tasks wait for them, and bytes on their way
    disk, sqlite_disk    the journal, in a tenth of the runs a real file, and a lobby out of it, which is the truth
    witness              what the server means by what it sends
    tournaments          who wants them, and their end
    rosters              names bound to secrets

Clients:

    client               what all have in common
    bot, strategic, tongues
                         the text protocol's: what it does, in which spelling, its profiles
    rooms, room_board, late_answers
                         3D Connect Four's: rooms, its board, answers that come late
    breaker              Mastermind's, by line and WebSocket
    tickets              GammonX's, by REST and the hub
    browsers             those of `web`, by WebSocket
    spectators           readers of pages, and the operator at the admin listener
    manners              what clients say and when
    view                 a match as a client sees it

What must hold:

    audit                of every row
    told                 of what clients were told
    fairness             of time
    recorded, conserved  of records, and of positions
    secrets              of bytes: what must be in nobody's
    elsewhere            of the same run in another process
    planted              bugs planted on purpose, each of which must be found

A tournament is also held twice, in peace and with interruptions, and must end alike:

    interrupted, interrupted_plan
                         the two, compared, and what they are made of
    players, steady      the players, and who does the same in every run

Two servers over one database, one of which takes over from the other:

    standby, standby_plan
                         the world with both, and what it is made of
    contender            one life of one of the two: it stands by, then leads; and its host
    threads              its threads, as greenlets, and how it stands still
    agenda               what happens by itself, outside of both
    shared_database, database_session
                         the database, with a lock and a replica that may be promoted, and a connection to it
    shared_journal, shared_ratings
                         a server's journal over it, whose decisions are the real ones, and the ratings of all halls
    standby_faults       what goes wrong there

Halls side by side over such a database:

    halls                the world with two of them

A new protocol needs a new kind of client. `python -m tests.simulation --help` runs more of it.
"""
