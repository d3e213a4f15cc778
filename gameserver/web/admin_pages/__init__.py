"""The teacher's pages on the admin listener: what its requests do, as forms that work without scripts."""
