"""The protocol of players in a browser."""
