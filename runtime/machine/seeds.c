/* Random bytes for the guest: of -seed, or of the host. */
#include "runtime/machine/seeds.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "runtime/base/bits.h"
#include "runtime/base/random.h"

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

        le_put(at, n, random_next(&state));
        at += n;
        len -= n;
    }
    return true;
}
