"""Assembly: makes a server of its parts, starts and stops it, and plays the players of the house.

server               start, services, stop
standby              a server of a shared journal before it leads
setup                what a server is made of
command_preparer     completes commands before they are decided: roster, ratings, other connections
adapter_factory      makes adapters, each with its context
live_read_model      keeps the read model fresh
archive              reads the records for it
live_halls           keeps the view of all halls fresh
roster_watch         looks for changes of a roster in the database
hall_records         the read model of another hall's records
tournament_digests   keeps summaries and final places of tournaments
tournament_director  works out pairings beside the event loop
house_players        built-in opponents: their turns, in their order, and their pace
house_terms          their settings
thinkers             the processes in which they think
thinker_process      such a process from inside
thought              what goes over to such a process, and what comes back
built_guides         a page for players of a game that has none of its own
pages_url            finds the URL of the pages for a peer's browser
"""
