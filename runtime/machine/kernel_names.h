/*
 * Names of GPU kernels by the hash of their code, from a file of lines "HASH NAME"; the hash has 16
 * hexadecimal digits, as -d gpu_job and timelines print it. Empty lines, and those that begin with
 * '#', say nothing.
 */
#ifndef RUNTIME_MACHINE_KERNEL_NAMES_H
#define RUNTIME_MACHINE_KERNEL_NAMES_H

#include <stdint.h>

#include "runtime/base/error.h"

struct kernel_names;

/* NULL: the file cannot be read, or a line of it is something else. */
struct kernel_names *kernel_names_read(const char *path, struct error *err);
void kernel_names_free(struct kernel_names *names);

/* The name, or NULL. `names` is a struct kernel_names; NULL has none. */
const char *kernel_name(void *names, uint64_t hash);

#endif
