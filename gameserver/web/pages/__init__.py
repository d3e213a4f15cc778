"""The public pages, one module each; `application` has the routes.

Pages render values of the read model and change nothing.
"""
