"""One adapter for each wire protocol: every module here that exports `PROTOCOL` is found at start."""
