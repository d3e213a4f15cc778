"""The scenarios of `gameserver check` for GammonX over REST and SignalR, one file each."""
