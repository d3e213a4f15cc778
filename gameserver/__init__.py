"""One lobby server for game clients of several wire protocols."""
