"""Games played at a terminal, without a server: each module exports a click command as `COMMAND`."""
