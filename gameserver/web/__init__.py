"""The web pages: players, live boards and results, as HTML made by the server, and the same as JSON.

Public pages, and the application that has them all:
application      The public pages as one application, with `/metrics`, `/robots.txt` and the scripts
lobby            The lobby, all live matches, and the page to play on
match            One match, live or on record
tournament       One tournament, made for a projector: standings, boards, crosstable or bracket, podium
join             The screen to join a tournament that gathers its players
certificates     A certificate to print for everybody who came to a tournament
bracket          The drawing of a knockout's tree
tournament_list  The list of tournaments, all of them or a player's
season           The table of a season of tournaments
records          Finished matches, and a player's results
ladder           The ladder of a game
halls            All halls, and the records of another one
own              A player's own page, shown to nobody else

The teacher's pages on the admin listener:
teacher_application   All of them as one application, and what happens to a form that was sent
teacher_pages         The overview, a tournament, the roster, a match, a player
teacher_forms         Reads the forms, and makes those for acts upon a tournament
teacher_confirmation  The page that asks again before a destructive act

Tools that know no particular page:
templating  Jinja's templates, sentences for people, pictures as SVG
responses   Static files, JSON, security headers
errors      Errors as pages for people
live_pages  Pages that keep themselves up to date
made_once   Pages and messages made and compressed once for all viewers

Pages render values of `gameserver.read_model` and change nothing. There is no build step, nothing is fetched from
another machine, and every page works without scripts. A little JavaScript keeps it up to date.
"""
