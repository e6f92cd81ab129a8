/*
 * Messages of the Language Server Protocol on file descriptors: a head with Content-Length, JSON behind it.
 */
#ifndef GENCC_LSP_RPC_H
#define GENCC_LSP_RPC_H

#include <jansson.h>
#include <stdbool.h>

struct rpc {
    int in, out;
    char *buffer; /* what was read and not taken yet */
    size_t used, room;
    bool closed;
};

enum rpc_result { RPC_MESSAGE, RPC_MALFORMED, RPC_END };

/* Waits for the next message. MALFORMED: one that is no JSON or has no usable head was skipped. The caller
 * drops the reference to *message. */
enum rpc_result rpc_read(struct rpc *r, json_t **message);
/* Whether a further message is, or may be, there already. */
bool rpc_pending(struct rpc *r);
/* Sends a message and drops the reference to it. False when nobody reads any more. */
bool rpc_write(struct rpc *r, json_t *message);
void rpc_free(struct rpc *r);

#endif
