/* Seeds of the guest's random numbers: equal in all runs with the same -seed, or the host's. */
#ifndef RUNTIME_MACHINE_SEEDS_H
#define RUNTIME_MACHINE_SEEDS_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/machine/options.h"

enum seed_use { SEED_RNG = 1, SEED_KASLR, SEED_VIRTIO_RNG };

/* Fills `bytes`; the bytes differ between uses. False: the host has no random bytes. */
bool seed_bytes(const struct options *o, enum seed_use use, void *bytes, size_t len,
                struct error *err);

#endif
