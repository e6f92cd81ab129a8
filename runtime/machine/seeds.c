#include "runtime/machine/seeds.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "runtime/base/bits.h"

/* SplitMix64 (Steele, Lea, Flood 2014): a sequence without a bad seed. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

bool seed_bytes(const struct options *o, enum seed_use use, void *bytes, size_t len,
                struct error *err)
{
    uint64_t state = o->seed ^ (uint64_t)use << 56;
    uint8_t *at = bytes;

    if (o->host_random) {
        if (getrandom(bytes, len, 0) != (ssize_t)len)
            return error_set(err, "the host gives no random bytes: %s", strerror(errno));
        return true;
    }
    while (len) {
        unsigned n = len < 8 ? (unsigned)len : 8;

        le_put(at, n, next(&state));
        at += n;
        len -= n;
    }
    return true;
}
