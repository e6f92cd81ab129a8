/*
 * Messages of the Language Server Protocol on file descriptors: a head with Content-Length, then
 * JSON.
 */
#ifndef GENCC_LSP_RPC_H
#define GENCC_LSP_RPC_H

#include <jansson.h>
#include <stdbool.h>

struct rpc {
    int in, out;
    char *buffer; /* bytes read but not consumed yet */
    size_t used, room;
    bool closed;
};

enum rpc_result { RPC_MESSAGE, RPC_MALFORMED, RPC_END };

/* Waits for the next message. RPC_MALFORMED: a message that is no JSON or has no valid head was
 * skipped. The caller releases *message. */
enum rpc_result rpc_read(struct rpc *r, json_t **message);
/* Whether a further message may be available already. */
bool rpc_pending(struct rpc *r);
/* Sends a message and releases it. Returns false if the other end is closed. */
bool rpc_write(struct rpc *r, json_t *message);
/* Frees the input buffer. */
void rpc_free(struct rpc *r);

#endif
