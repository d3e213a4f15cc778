"""The scenarios of `gameserver check` for 3D Connect Four over newline JSON, one file each."""
