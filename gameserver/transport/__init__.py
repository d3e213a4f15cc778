"""Sockets: from a listening port to an adapter that is handed bytes and answers.

    listener, tls        listening sockets, and TLS over a non-blocking one
    proxy_gate           takes the address of the player from a proxy that is trusted
    proxy_protocol       the header in which the proxy says it
    acceptor             from an accepted socket to an open connection
    reactor              calls the connections whose sockets are ready
    epoll_reactor        does it with one task for all, on Linux
    task_reactor         does it with two tasks for each, everywhere
    reactor_choice, socket_settings
                         chooses one of the two, by a setting
    connection           one peer: an adapter, and what is on its way between socket and adapter
    connection_services  the part of the server that connections call
    first_line           tells HTTP and TLS on ports of other protocols by a connection's first bytes
    unread_input         what of its input counts as of an earlier time than it is read
    connection_state     the stages of its life, and the log lines at its end
    send_queue           what is to be sent, under a limit of bytes and of time
    adapter_tasks        the timer and the background task of an adapter
    liveness, tcp_info   whether a silent peer is still there, and what the kernel knows of it

No command is decided here, and no protocol is known beyond `Adapter`.
"""
