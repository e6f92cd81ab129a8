/*
 * A shader by hand: code, arguments and sizes from the command line become memory with a compute job, as
 * a driver would have made it, in a snapshot that never was a file.
 *
 * Argument number n is the n-th pair of words of push uniforms: of a buffer the address, of a number its
 * bits, zeros on top.
 */
#ifndef PROGRAMS_MALI_RUN_KERNEL_H
#define PROGRAMS_MALI_RUN_KERNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/base/error.h"
#include "runtime/base/vec.h"

struct gpu_isa;
struct gpu_snapshot;
struct gpu_variant;

enum { KERNEL_MAX_ARGUMENTS = 32 };

struct kernel_argument {
    bool is_buffer;
    const char *file; /* that the buffer begins with; NULL: zeros */
    uint64_t bytes;   /* of the buffer */
    uint64_t value;   /* of a number; of a buffer its address, when the job was made */
};

struct kernel_dump {
    unsigned argument;
    const char *file;
};

/* What the command line says. */
struct kernel {
    const char *file;      /* NULL: there is no kernel */
    const char *arch;      /* description that the assembler goes by; NULL: the build's */
    uint32_t global[3];    /* threads; 0: not said, 1 */
    uint32_t local[3];     /* of a work-group; 0: not said */
    uint64_t local_memory; /* bytes of a work-group */
    uint64_t stack;        /* bytes of a thread */
    uint64_t registers;    /* that a thread works with */
    struct kernel_argument argument[KERNEL_MAX_ARGUMENTS];
    unsigned argument_count;
    VEC(struct kernel_dump) dumps;
    VEC(char *) values; /* of options, to which others point */
    uint64_t code;      /* where it stands, when the job was made */
};

/* Options: "X,Y,Z", a form of -arg, "N=FILE". false: *err says what is wrong. */
bool kernel_read_size(uint32_t size[3], const char *what, const char *text, struct error *err);
bool kernel_read_argument(struct kernel *k, const char *text, struct error *err);
bool kernel_read_dump(struct kernel *k, const char *text, struct error *err);

/* The file of that name in this program's folder if there is one, or else the name, for execvp(). */
void kernel_tool(char *path, size_t size, const char *name);

/* Assembles the file, unless it is raw code, for the ISA of that name. Returns the code, to be released
 * with free(); NULL: *err says why, and the assembler has said what is wrong in the text. */
uint8_t *kernel_code(const struct kernel *k, const char *isa, size_t *bytes, struct error *err);

/* Makes the memory and the job. NULL: *err says why. */
struct gpu_snapshot *kernel_build(struct kernel *k, const struct gpu_variant *variant,
                                  const struct gpu_isa *isa, struct error *err);

/* Writes the buffers that shall be written, as they are now. */
bool kernel_write_dumps(const struct kernel *k, const struct gpu_snapshot *s, struct error *err);

void kernel_release(struct kernel *k);

#endif
