"""Assembly: makes a server of its parts, starts and stops it, and plays the players of the house.

adapter_factory      Makes the adapters of new connections, each with the context that tells it of the server
archive              The records of the halls, for pages, and what goes on in each
command_preparer     Completes commands before they are decided, from the roster, the ratings and the
                     other connections
forecasts            When a tournament will end, in sentences
house_players        The house players
invitation           The ways by which players find a tournament
ladder_director      Director of the ladders
live_read_model      The read model of a running server
preflight            The settings that would hurt at an event
server               The server: from the journal to the sockets
setup                The parts that a server is made of
standby              A server of a shared journal before it leads
thinker_process      A worker process in which house players think, seen from inside
thinkers             Worker processes in which house players think, outside of the event loop and of the process
                     that serves
tournament_director  Works out the pairings of tournaments beside the lobby
"""
