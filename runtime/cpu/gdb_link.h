/*
 * The connection of a GDB server, or of a monitor: one client at a time, served by a thread.
 * Neither the machine nor the thread waits for the client.
 */
#ifndef RUNTIME_CPU_GDB_LINK_H
#define RUNTIME_CPU_GDB_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/time/clock.h"

struct gdb_link;

enum { GDB_LINK_NOTHING = -1, GDB_LINK_OPENED = 256, GDB_LINK_CLOSED = 257 };

/* Listens at "tcp:HOST:PORT" or "unix:PATH". Posts work to `clock`, which may be NULL, when
 * something arrives. NULL with *err when it cannot listen. */
struct gdb_link *gdb_link_new(const char *address, struct clock *clock, struct error *err);
/* Connects to a peer that listens at the address, once. */
struct gdb_link *gdb_link_connect(const char *address, struct clock *clock, struct error *err);
/* Closes the connection, and removes the file of a unix: address; NULL is allowed. */
void gdb_link_free(struct gdb_link *link);
/* The TCP port of the listener; 0: it has none. */
unsigned gdb_link_port(const struct gdb_link *link);
/* Blocks until a client has connected. */
void gdb_link_wait(struct gdb_link *link);

/* The next byte of the client, or a GDB_LINK value. With `wait` it blocks until there is one. A
 * client that has ended its own output gets what was sent before GDB_LINK_CLOSED was returned. */
int gdb_link_get(struct gdb_link *link, bool wait);
/* The next item if it is this byte or GDB_LINK_CLOSED, without waiting; else GDB_LINK_NOTHING, and
 * the item stays. */
int gdb_link_get_only(struct gdb_link *link, uint8_t byte);
/* Sends bytes without waiting. Bytes that the client does not take yet are kept, and while too many
 * are kept gdb_link_get() returns none of the client's. A broken connection is reported by
 * gdb_link_get(). */
void gdb_link_put(struct gdb_link *link, const void *bytes, size_t len);

#endif
