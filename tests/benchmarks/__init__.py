"""What the server costs: figures with a baseline beside each. `python -m tests.benchmarks`, see README.md."""
