"""The scenarios of `gameserver check` for JSON over a WebSocket, one file each."""
