/*
 * Virtio entropy device. VIRTIO 1.2, section 5.4. Seeded, it gives the same sequence in every run,
 * which is what a reproducible simulation wants and a guest with secrets does not.
 *
 * Bounds      a chain: MAX_BYTES of it are filled
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/base/random.h"
#include "runtime/dev/virtio.h"

#define DEVICE_ID 4u
#define MAX_BYTES 256u

struct virtio_rng {
    struct virtio_function function;
    uint64_t seed, state;
    bool from_host;
};

static void fill_random(struct virtio_rng *rng, uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i += 8) {
        unsigned n = len - i < 8 ? (unsigned)(len - i) : 8;

        if (!rng->from_host || getrandom(bytes + i, n, 0) != (ssize_t)n)
            le_put(bytes + i, n, random_next(&rng->state));
    }
}

static uint32_t serve_chain(struct virtio_function *f, unsigned queue, const struct virtio_chain *c)
{
    uint8_t bytes[MAX_BYTES];
    size_t len = c->in_len < sizeof(bytes) ? c->in_len : sizeof(bytes);

    (void)queue;
    fill_random((struct virtio_rng *)(void *)f, bytes, len);
    return (uint32_t)virtio_put(f->transport, c, 0, bytes, len);
}

static uint64_t get_features(struct virtio_function *f)
{
    (void)f;
    return 0;
}

static void reset_virtio_rng(struct virtio_function *f)
{
    struct virtio_rng *rng = (struct virtio_rng *)(void *)f;

    rng->state = rng->seed;
}

static void destroy_virtio_rng(struct virtio_function *f)
{
    free(f);
}

static const struct state_field fields[] = {
    STATE_FIELD(struct virtio_rng, state),
    STATE_END,
};

static const struct virtio_function_class rng_class = {
    .name = "virtio-rng",
    .device_id = DEVICE_ID,
    .queue_count = 1,
    .features = get_features,
    .serve = serve_chain,
    .reset = reset_virtio_rng,
    .destroy = destroy_virtio_rng,
    .fields = fields,
};

struct virtio_function *virtio_rng_new(const uint8_t *seed, struct error *err)
{
    struct virtio_rng *rng = xcalloc(1, sizeof(*rng));

    rng->function.cls = &rng_class;
    rng->from_host = !seed;
    if (seed) {
        rng->seed = rng->state = le_get(seed, 8);
    } else if (getrandom(&rng->seed, sizeof(rng->seed), 0) != (ssize_t)sizeof(rng->seed)) {
        free(rng);
        return error_null(err, "the host gives no random bytes");
    }
    return &rng->function;
}
