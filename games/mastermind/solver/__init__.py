"""Computer code breakers. Begin with `games.mastermind.solver.breakers`.

breakers             given the turns so far, the next guess
criteria             the worth of a guess
search, sampling     codes that fit, and guesses, where there are too many codes to list
lanes                one guess against many codes at once: the inner loop
hard_codes           codes that all of them need many guesses for
survey               how many guesses a breaker needs for every secret
"""
