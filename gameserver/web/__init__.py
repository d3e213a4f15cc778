"""The pages: who is here, live boards, results, as HTML made by the server, and the same as JSON.

Everything shown comes from `gameserver.read_model`. There is no build step, nothing is fetched from
outside the machine, and every page works without scripts; a little JavaScript keeps it up to date.

    pages                what everybody may see
    admin_pages          the teacher's pages, on the admin listener
    ui                   tools of both
"""
