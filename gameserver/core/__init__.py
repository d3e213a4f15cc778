"""The lobby as a function: frozen values, command in, changes and events out; no clock, chance or socket."""
