"""Tools that public and admin pages share: templates, drawings, sentences, live streams, security headers.

Nothing here knows a particular page.
"""
