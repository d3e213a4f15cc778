"""The forms of a report. Each is a function from a `CheckReport` to text, and touches nothing else."""
