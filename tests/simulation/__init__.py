"""A seeded simulator of the whole server, without sockets, threads or real time.

One seed drives the real core, batches, journal codec, replay, snapshots, clock, alarm and adapters
through what a bad network, bad clients and bad days can do to them, and holds them to what must
never be broken. First everything may go wrong; then nothing does any more, and everything must come
to its end.

A run:

    plan                 what it is made of
    world                time, order, what happens when
    faults, settling     every kind of misfortune, and the calm at the end
    run, shrink, violation
                         one run or what it found, the smallest run that shows it, and what is raised then

The server around its real parts:

    sequence             decide, commit, release
    process              clock, alarm, sockets around it
    endpoint, wire       the server's end of a connection, and bytes on their way to it
    durable              the journal, and a lobby out of it
    house, tasks         the house players, and work beside the loop, without threads or trio
    tournaments          who conducts them, and their end
    rosters              names bound to secrets

Clients:

    client               what all have in common
    bot, strategic, tongues
                         the text protocol's: what it does, in which words, its profiles
    rooms, room_board, late_answers
                         3D Connect Four's: rooms, its board, answers that come late
    breaker              Mastermind's, by line and WebSocket
    tickets              GammonX's, by REST and the hub
    browsers             those of `web`, by WebSocket
    websocket            HTTP as clients speak it
    manners, heard       what clients say and when, and what they can say and be told
    view                 a match as a client sees it

What must hold:

    invariants           of every decision
    told                 of what clients were told
    fairness             of time
    recorded, conserved  of records, and of positions
    secrets              of bytes: what must be in nobody's
    elsewhere            of journals in another process
    mutants              bugs planted on purpose, each of which must be found

A tournament is also held twice, in peace and with interruptions, and must end alike:

    interrupted, interrupted_plan
                         the two, compared, and what they are made of
    players, steady      the players, and who does the same in every run
    tournament_mutants   bugs planted in tournaments

Two servers over one database, one of which takes over from the other:

    standby, standby_plan
                         the world with both, and what it is made of
    machine              one of the two: off, standing by, leading, stopped
    shared_database, database_session
                         the database, with a lock and a replica that may be promoted, and a connection to it
    shared_journal       a server's journal over it, whose decisions are the real ones
    standby_faults       what goes wrong there
    standby_mutants      bugs planted in what decides who leads, and in what follows the leader

A new protocol needs a new kind of client. `python -m tests.simulation --help` runs more of it.
"""
