"""The rules of each game, as pure values: every module here that exports `GAME` is found at start."""
