"""Computer code breakers. `games.mastermind.solver.breakers` is where to begin."""
