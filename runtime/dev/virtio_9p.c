/*
 * Virtio 9P transport: a folder of the host as a file system of the guest. VIRTIO 1.2 reserves the
 * device id; queue and configuration are as Linux's net/9p/trans_virtio.c has them.
 *
 * Bounds      a chain: one message, NINEP_MAX_MESSAGE bytes each way
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/virtio.h"
#include "runtime/obs/journal.h"

#define DEVICE_ID   9u
#define F_MOUNT_TAG 0u
#define MAX_TAG     32u

struct virtio_9p {
    struct virtio_function function;
    struct ninep *server;
    char *tag;
    struct journal *journal; /* NULL: neither recorded nor replayed */
    uint32_t number;
    uint8_t message[NINEP_MAX_MESSAGE], reply[NINEP_MAX_MESSAGE];
};

static struct virtio_9p *p9_of(struct virtio_function *f)
{
    return (struct virtio_9p *)(void *)f;
}

/* The answer that was recorded; the host's files are not touched. */
static size_t replay_answer(struct virtio_9p *p, size_t room)
{
    const struct journal_entry *e = journal_take(p->journal, JOURNAL_FILES, p->number);
    size_t len = e && e->len <= room ? (size_t)e->len : 0;

    if (len)
        memcpy(p->reply, e->bytes, len);
    if (e)
        journal_step(p->journal);
    return len;
}

/* Puts the answer to the first `len` bytes of p->message into p->reply. */
static size_t answer_message(struct virtio_9p *p, size_t len, size_t room)
{
    size_t answer;

    if (p->journal && journal_is_replay(p->journal))
        return replay_answer(p, room);
    answer = ninep_serve(p->server, p->message, len, p->reply, room);
    if (p->journal)
        journal_write(p->journal, JOURNAL_FILES, p->number, p->reply, answer);
    return answer;
}

static uint32_t serve_chain(struct virtio_function *f, unsigned queue, const struct virtio_chain *c)
{
    struct virtio_9p *p = p9_of(f);
    size_t len = virtio_get(c, 0, p->message, sizeof(p->message));
    size_t room = c->in_len < sizeof(p->reply) ? c->in_len : sizeof(p->reply);
    size_t answer = answer_message(p, len, room);

    (void)queue;
    if (!answer)
        virtio_broken(f->transport, "a 9P message that is none, or no room for its answer");
    virtio_put(f->transport, c, 0, p->reply, answer);
    return (uint32_t)answer;
}

static uint64_t get_features(struct virtio_function *f)
{
    (void)f;
    return UINT64_C(1) << F_MOUNT_TAG;
}

static size_t get_config(struct virtio_function *f, uint8_t bytes[VIRTIO_MAX_CONFIG])
{
    size_t len = strlen(p9_of(f)->tag);

    le_put(bytes, 2, len);
    memcpy(bytes + 2, p9_of(f)->tag, len);
    return 2 + len;
}

static void reset_virtio_9p(struct virtio_function *f)
{
    /* A machine that is back in its past does not use the server, and needs it when it returns. */
    if (!journal_is_past(p9_of(f)->journal))
        ninep_reset(p9_of(f)->server);
}

static void save_virtio_9p(struct virtio_function *f, struct state_buf *buf)
{
    ninep_save(p9_of(f)->server, buf);
}

static bool load_virtio_9p(struct virtio_function *f, const uint8_t *bytes, size_t len, bool apply,
                           struct error *err)
{
    return ninep_load(p9_of(f)->server, bytes, len, apply, err);
}

static void destroy_virtio_9p(struct virtio_function *f)
{
    ninep_free(p9_of(f)->server);
    free(p9_of(f)->tag);
    free(f);
}

static const struct virtio_function_class p9_class = {
    .name = "virtio-9p",
    .device_id = DEVICE_ID,
    .queue_count = 1,
    .features = get_features,
    .config = get_config,
    .serve = serve_chain,
    .reset = reset_virtio_9p,
    .destroy = destroy_virtio_9p,
    .save = save_virtio_9p,
    .load = load_virtio_9p,
};

struct virtio_function *virtio_9p_new(const char *path, const char *tag, enum ninep_model model,
                                      bool read_only, struct error *err)
{
    struct ninep *server;
    struct virtio_9p *p;

    if (!*tag || strlen(tag) > MAX_TAG)
        return error_null(err, "a mount tag has 1 to %u characters, not '%s'", MAX_TAG, tag);
    server = ninep_new(path, model, read_only, err);
    if (!server)
        return NULL;
    p = xcalloc(1, sizeof(*p));
    p->function.cls = &p9_class;
    p->server = server;
    p->tag = xstrdup(tag);
    return &p->function;
}

void virtio_9p_journal(struct virtio_function *f, struct journal *journal, uint32_t number)
{
    p9_of(f)->journal = journal;
    p9_of(f)->number = number;
}
