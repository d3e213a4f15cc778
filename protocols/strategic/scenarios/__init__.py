"""The scenarios of `gameserver check` for the text protocol, a file each."""
