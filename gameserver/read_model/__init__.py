"""The read model: the lobby, matches and results, as frozen values for pages and files.

    lobby_view           the interface that pages and files read it by
    views                the values
    view_json            their names in JSON
    live, recorded       public views of the lobby's rows, and of records
    admin                views of the lobby's rows for the teacher
    presence             where each player of a tournament is
    troubles             what is wrong right now, for the teacher
    waiting              the player for whom a whole tournament waits
    losses               what a teacher's act upon the lobby takes away, in words
    replay               a match played again for its spectators
    records_away         the answer while the records cannot be read
    halls                the halls beside this server's
    metrics              figures for Prometheus

The read model changes nothing and holds no secrets. Addresses, queues and tickets are for the teacher alone:
`LobbyView.admin` is read only behind the gate of the admin listener.
"""
