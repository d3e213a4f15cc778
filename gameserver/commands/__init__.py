"""The commands of `gameserver`, a module for each group of them; `gameserver.cli` puts them together."""
