class Contradiction(ValueError): pass
def sampled_guess(*a): raise NotImplementedError
