"""What everybody may see: the lobby, matches, results, as frozen values without a secret in them.

    lobby_view           the interface by which pages and files come to see it
    views                what there is to be seen, as values
    live, recorded       views of the lobby's rows, and of records
    replay               a match played again for its spectators
    metrics              figures for Prometheus

Nothing here changes anything, and nothing secret is in it.
"""
