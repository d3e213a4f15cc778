"""One lobby server for game clients of several wire protocols.

For authors of plug-ins:

    game, drawing        what a game offers to the server, and the shapes that its board is drawn with
    protocol, endpoints  what a protocol offers, and what it offers over HTTP
    testing              contract kits that say what is wrong with a game or a protocol

The part that decides, without a clock, a socket or a file:

    values               frozen values that cost no more than others to make
    policies             the rules of the server and the terms of a match, as data
    tournaments          formats, pairings, standings
    core                 the lobby as a function of its commands
    ratings              strength of players
    read_model           the public view of the lobby

The part that keeps and shows it:

    journal              the write-ahead log of commands, and the way back from it to a lobby
    records              finished matches and tournaments, as SQL tables
    database             SQL, as far as databases differ
    exports              files to take home
    web                  pages

The part that serves it:

    transport            sockets, from a listening port to an adapter
    flow_control         how much each client may ask for
    authentication       names and secrets
    wire_log             the bytes of players
    http                 HTTP and WebSocket
    engine               the single writer: decide, commit, release
    admin                the teacher's requests
    server               assembly of all of it

The part that tries a client:

    check                plays a client through scenarios, and reports
    proxy                stands between a client and a server, and does faults to what passes

The part that starts it:

    cli, __main__        the command line
    config, config_file  settings
    halls                names of servers side by side over one database
    plugins              finds games and protocols
    logs                 log lines
    error_groups         errors out of the groups in which trio hands them on
    processes            other programs, started and ended on every system
    private_file         files that only their owner may read
    program              programs of other people: started, watched, ended
    rehearsal            a tournament in virtual time

Which of them may import which is a table in `tests/test_layout.py`; ARCHITECTURE.md tells why.
"""
