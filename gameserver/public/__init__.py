"""What everybody may see: the lobby, matches, results, as frozen values without a secret in them.

`model` says what there is, `story` plays a match again for its spectators, `live` looks at the lobby,
`recorded` at what is over, and `gallery` is how somebody comes to see it.
"""
