"""Everything that touches trio, sockets, clocks and threads."""
