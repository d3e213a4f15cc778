"""Transport, the sockets: from a listening port to an adapter that is handed bytes and answers.

listener        the listening sockets, and the tasks that accept on them
acceptor        from accept to an open connection that has sent its greeting
first_line      HTTP and TLS on ports of other protocols, known by the first bytes
proxy_gate      a connection of a trusted proxy, under the address of its player
tls             TLS as a socket that encrypts
connection      one connection, whole
send_queue      its output
reactors        calls of a connection whose socket is ready: the interface, and the reactor of tasks
epoll_reactor   every socket from one task, on Linux
reactor_choice  which of the two, by the system
liveness        the probe of a peer when a newcomer wants what its connection holds
tcp_info        the kernel's facts of a connection: round trip, last contact, unacknowledged bytes

No command is decided here, and no protocol is known beyond `Adapter`.
"""
