"""The web pages: players, live boards and results, as HTML made by the server, and the same as JSON.

All data comes from `gameserver.read_model`. There is no build step, nothing is fetched from another
machine, and every page works without scripts. A little JavaScript keeps it up to date.

    pages                the public pages
    admin_pages          the teacher's pages, on the admin listener
    ui                   tools of both kinds of pages
"""
