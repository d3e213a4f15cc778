"""The scenarios of `gameserver check` for Mastermind in `Type|JSON`, one file each."""
