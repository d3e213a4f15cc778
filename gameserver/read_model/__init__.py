"""What may be seen: the lobby, matches and results, as frozen values.

    lobby_view           the interface by which pages and files come to see it
    views                what there is to be seen, as values
    live, recorded       views of the lobby's rows, and of records, for everybody
    admin                views of the lobby's rows for the teacher
    replay               a match played again for its spectators
    metrics              figures for Prometheus

Nothing here changes anything, and no secret is in it. Addresses, queues and tickets are for the teacher alone:
`LobbyView.admin` is looked at behind the gate of the admin listener and nowhere else.
"""
