/*
 * The connections of VNC clients. libvncserver serves all clients on one thread, and blocks on a
 * client that sends half a message or does not read. So another thread accepts clients, and closes
 * a connection that has blocked the server's thread for too long.
 */
#ifndef RUNTIME_DISPLAY_VNC_PEERS_H
#define RUNTIME_DISPLAY_VNC_PEERS_H

#include <netinet/in.h>

#include "runtime/base/error.h"

#define VNC_PEERS_MAX 16

struct vnc_peers;

/*
 * Listens; `host` is in network order. A client that takes longer than `patience_ms` for one
 * message or one picture is disconnected. NULL on failure.
 */
struct vnc_peers *vnc_peers_open(in_addr_t host, int port, int patience_ms, struct error *err);

/* The TCP port it listens on. */
int vnc_peers_port(const struct vnc_peers *p);

/* The socket of a new client, which the caller must close; *number is below VNC_PEERS_MAX and
 * belongs to the client until vnc_peers_gone(). -1: none. */
int vnc_peers_next(struct vnc_peers *p, unsigned *number);
void vnc_peers_gone(struct vnc_peers *p, unsigned number);

/* Must be called before and after code that may wait for the client. */
void vnc_peers_begin(struct vnc_peers *p, unsigned number);
void vnc_peers_end(struct vnc_peers *p);

/* Shuts down all connections, and each later one at once: nothing waits for a client any longer. */
void vnc_peers_hang_up(struct vnc_peers *p);

/* Stops listening. The caller has closed its sockets. NULL is allowed. */
void vnc_peers_free(struct vnc_peers *p);

#endif
