"""What happened, for people: finished matches with their moves and results."""
