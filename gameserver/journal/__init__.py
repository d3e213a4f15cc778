"""The ordered log of accepted commands: one interface, in memory and in SQLite."""
