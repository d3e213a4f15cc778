"""Sockets: from a listening port to an adapter that is handed bytes and answers.

acceptor        Takes a socket from accept to an open connection that has sent its greeting
connection      One connection
epoll_reactor   Serves every socket from one task, by one epoll
first_line      Recognizes HTTP requests and TLS handshakes on ports of other protocols, by the first bytes of
                a connection
listener        Accepts connections
liveness        Finds out if the peer of a connection is still there, when a newcomer wants the name or the seat
                that it holds
proxy_gate      Takes a connection of a trusted proxy to the acceptor, under the address of the player whom
                it carries
reactor_choice  Chooses the reactor, by the setting and by what the system has
reactors        Calls a connection when its socket is ready
send_queue      The output of a connection
tcp_info        Reads what the kernel knows of a connection
tls             TLS as a socket that encrypts, so that nothing above it has to know of it

No command is decided here, and no protocol is known beyond `Adapter`.
"""
