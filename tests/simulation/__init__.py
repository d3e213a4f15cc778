"""A seeded simulator of the whole server, without sockets, threads or real time.

One seed drives the real core, batches, journal codec, replay, snapshots, clock, alarm and adapters
through what a bad network, bad clients and bad days can do to them, and holds them to what must
never be broken. First everything may go wrong; then nothing does any more, and everything must come
to its end.

    plan        what a run is made of                 sequence    decide, commit, release
    world       time, order, what happens when        process     clock, alarm, sockets around it
    faults      every kind of misfortune              endpoint    the server's end of a connection
    settling    the calm at the end                   tasks       work beside it, without trio
    client      what all clients have in common       house       the house players
    bot         the text protocol's                   durable     the journal, and a lobby out of it
    rooms       3D Connect Four's                     invariants  what holds of every decision
    breaker     Mastermind's, by line and WebSocket   recorded    what holds of records
    tickets     GammonX's, by REST and the hub        conserved   what holds of positions
    websocket   HTTP as clients speak it              secrets     what must be in nobody's bytes
    rosters     names bound to secrets
    view        a match as a text client sees it      told        what holds of what clients were told
    manners     what text clients say, and when       fairness    what holds of time
    heard       what they can say and be told         elsewhere   journals in another process
    strategic   in which words                        shrink      the smallest run that shows it
    tongues     its profiles
    wire        bytes on their way                    mutants     bugs planted on purpose
    tournaments who conducts them, and their end      run         one run, or what it found

A tournament is also held twice, in peace and with interruptions, and must end alike:

    interrupted_plan   what it is made of             steady      who does the same in every run
    players            they, by protocol              interrupted the two, compared
    tournament_mutants bugs planted in tournaments

A protocol more is a kind of client more. `python -m tests.simulation --help` runs more of it.
"""
