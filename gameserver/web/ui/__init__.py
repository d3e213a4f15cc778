"""Tools that public and admin pages share.

    templating           Jinja's templates, escaping always on
    assets               style sheets, scripts, the icon
    security_headers     what browsers are told that a page may do
    svg                  pictures of boards
    phrases              what happened, in sentences
    json_views           what pages show, as JSON
    live_pages, server_sent_events
                         pages that keep themselves up to date, and how they are told
    single_flight        a page made once for everybody who asks meanwhile

Nothing here knows a particular page.
"""
