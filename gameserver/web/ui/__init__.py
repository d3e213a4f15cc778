"""Tools that public and admin pages share.

    templating           Jinja's templates, escaping always on
    place                the hall that a page is about
    assets               style sheets, scripts, the icon
    security_headers     headers that restrict what a page may do
    svg                  pictures of boards
    phrases              sentences for people
    json_views           values of the read model as JSON
    live_pages, server_sent_events
                         pages that keep themselves up to date, and their streams
    single_flight        a page made once for all who ask at the same time
    rendered_once        markup kept until what it shows changes
    shared_compression   what is sent to many viewers, compressed once

No module here knows a particular page.
"""
