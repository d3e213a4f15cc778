"""Measures the cost of the server: figures with a baseline beside each. `python -m tests.benchmarks`, see README.md."""
