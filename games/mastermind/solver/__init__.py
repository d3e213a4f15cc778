"""Computer code breakers. `games.mastermind.solver.breakers` is where to begin.

breakers             given the turns so far, the next guess
criteria             what makes a guess good
search, sampling     codes that fit, and guesses, where there are too many codes to list
lanes                one guess against many codes at once: the inner loop
survey               how many guesses a breaker needs for every secret
"""
