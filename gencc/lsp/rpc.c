/*
 * Reads and writes messages of the Language Server Protocol; see rpc.h.
 */
#include "gencc/lsp/rpc.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { MAX_HEAD = 4096, MAX_BODY = 64 << 20, CHUNK = 65536 };

/* Reads more bytes; returns false at the end of input. */
static bool read_more(struct rpc *r)
{
    ssize_t n;

    if (r->closed)
        return false;
    if (r->room - r->used < CHUNK) {
        size_t room = r->room * 2 + CHUNK;
        char *bigger = realloc(r->buffer, room);

        if (!bigger)
            return false;
        r->buffer = bigger;
        r->room = room;
    }
    do
        n = read(r->in, r->buffer + r->used, r->room - r->used);
    while (n < 0 && errno == EINTR);
    if (n > 0)
        r->used += (size_t)n;
    r->closed = n <= 0;
    return n > 0;
}

static void drop_bytes(struct rpc *r, size_t n)
{
    n = n < r->used ? n : r->used;
    memmove(r->buffer, r->buffer + n, r->used - n);
    r->used -= n;
}

/* Bytes of the head with the empty line; 0 if it is incomplete. */
static size_t head_length(const struct rpc *r, size_t *separator)
{
    const char *wide = r->used ? memmem(r->buffer, r->used, "\r\n\r\n", 4) : NULL;
    const char *narrow = r->used ? memmem(r->buffer, r->used, "\n\n", 2) : NULL;

    if (wide && (!narrow || wide < narrow)) {
        *separator = 4;
        return (size_t)(wide - r->buffer) + 4;
    }
    *separator = 2;
    return narrow ? (size_t)(narrow - r->buffer) + 2 : 0;
}

/* The value of Content-Length; -1 if it is missing or invalid. */
static long body_length(const char *head, size_t n)
{
    static const char name[] = "content-length:";
    const char *end = head + n;

    while (head < end) {
        const char *nl = memchr(head, '\n', (size_t)(end - head));
        size_t line = nl ? (size_t)(nl - head) : (size_t)(end - head);

        if (line > sizeof(name) - 1 && !strncasecmp(head, name, sizeof(name) - 1)) {
            long length = 0;
            const char *c = head + sizeof(name) - 1;

            while (c < head + line && *c == ' ')
                c++;
            if (c == head + line || *c < '0' || *c > '9')
                return -1;
            for (; c < head + line && *c >= '0' && *c <= '9' && length <= MAX_BODY; c++)
                length = length * 10 + (*c - '0');
            return length <= MAX_BODY ? length : -1;
        }
        head += line + 1;
    }
    return -1;
}

enum rpc_result rpc_read(struct rpc *r, json_t **message)
{
    size_t head, separator;
    json_error_t error;
    long length;

    *message = NULL;
    while (!(head = head_length(r, &separator))) {
        /* a head cannot be that long: search for one in the following bytes */
        if (r->used > MAX_HEAD) {
            drop_bytes(r, r->used - separator);
            return RPC_MALFORMED;
        }
        if (!read_more(r))
            return RPC_END;
    }
    length = body_length(r->buffer, head);
    drop_bytes(r, head);
    if (length < 0)
        return RPC_MALFORMED;
    while (r->used < (size_t)length)
        if (!read_more(r))
            return RPC_END;
    *message = json_loadb(r->buffer, (size_t)length, JSON_ALLOW_NUL, &error);
    drop_bytes(r, (size_t)length);
    return json_is_object(*message) ? RPC_MESSAGE
                                    : (json_decref(*message), *message = NULL, RPC_MALFORMED);
}

bool rpc_pending(struct rpc *r)
{
    struct pollfd fd = {.fd = r->in, .events = POLLIN};

    return r->used || (!r->closed && poll(&fd, 1, 0) > 0);
}

static bool write_all(int fd, const char *text, size_t n)
{
    while (n) {
        ssize_t done = write(fd, text, n);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        text += done;
        n -= (size_t)done;
    }
    return true;
}

bool rpc_write(struct rpc *r, json_t *message)
{
    char *text = json_dumps(message, JSON_COMPACT);
    char head[64];
    bool ok = text != NULL;

    json_decref(message);
    if (ok) {
        int n = snprintf(head, sizeof(head), "Content-Length: %zu\r\n\r\n", strlen(text));

        ok = write_all(r->out, head, (size_t)n) && write_all(r->out, text, strlen(text));
    }
    free(text);
    return ok;
}

void rpc_free(struct rpc *r)
{
    free(r->buffer);
}
