/*
 * The connections of VNC clients. libvncserver serves all of them on one thread, and waits there for a client
 * that sends half a message or does not read. So a thread of its own accepts clients, and hangs up on one over
 * which the server's thread has been for too long.
 */
#ifndef RUNTIME_DISPLAY_VNC_PEERS_H
#define RUNTIME_DISPLAY_VNC_PEERS_H

#include <netinet/in.h>

#include "runtime/base/error.h"

#define VNC_PEERS_MAX 16

struct vnc_peers;

/*
 * Listens; `host` is in network order. Whoever takes longer than `patience_ms` over one message or one picture
 * is hung up on. NULL on failure.
 */
struct vnc_peers *vnc_peers_open(in_addr_t host, int port, int patience_ms, struct error *err);

/* The TCP port it listens on. */
int vnc_peers_port(const struct vnc_peers *p);

/* The socket of a client that came, for the caller to close; its number is below VNC_PEERS_MAX. -1: none. The
 * number is the client's until vnc_peers_gone(). */
int vnc_peers_next(struct vnc_peers *p, unsigned *number);
void vnc_peers_gone(struct vnc_peers *p, unsigned number);

/* Around what may wait for the client. */
void vnc_peers_begin(struct vnc_peers *p, unsigned number);
void vnc_peers_end(struct vnc_peers *p);

/* Shuts down all connections, and each later one at once: nothing waits for a client any longer. */
void vnc_peers_hang_up(struct vnc_peers *p);

/* Stops listening. The caller has closed its sockets. NULL is allowed. */
void vnc_peers_free(struct vnc_peers *p);

#endif
