"""The admin listener: what a teacher asks of a running server, behind a token, never on a game port."""
