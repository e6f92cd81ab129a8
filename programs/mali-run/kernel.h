/*
 * A kernel from the command line: code, arguments and sizes become memory with a compute job as a
 * driver would make it, in a snapshot that has no file.
 *
 * Argument n is the n-th pair of words of push uniforms: the address of a buffer, or the bits of a
 * number, extended by zeros.
 */
#ifndef PROGRAMS_MALI_RUN_KERNEL_H
#define PROGRAMS_MALI_RUN_KERNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/base/error.h"
#include "common/vec.h"

struct gpu_isa;
struct gpu_snapshot;
struct gpu_variant;

enum { KERNEL_MAX_ARGUMENTS = 32 };

struct kernel_argument {
    bool is_buffer;
    const char *file; /* initial content of the buffer; NULL: zeros */
    uint64_t bytes;   /* size of the buffer */
    uint64_t value;   /* value of a number; address of a buffer, once the job is made */
};

struct kernel_dump {
    unsigned argument;
    const char *file;
};

/* A kernel as the command line describes it. */
struct kernel {
    const char *file;      /* NULL: there is no kernel */
    const char *arch;      /* description for the assembler; NULL: that of the build */
    uint32_t global[3];    /* threads per dimension; 0: not given, 1 */
    uint32_t local[3];     /* threads of a work-group per dimension; 0: not given */
    uint64_t local_memory; /* bytes per work-group */
    uint64_t stack;        /* bytes per thread */
    uint64_t registers;    /* registers per thread */
    struct kernel_argument argument[KERNEL_MAX_ARGUMENTS];
    unsigned argument_count;
    VEC(struct kernel_dump) dumps;
    VEC(char *) values; /* values of options to which other members point */
    uint64_t code;      /* address of the code, once the job is made */
};

/* Options: "X,Y,Z", a form of -arg, "N=FILE". false: *err says what is wrong. */
bool kernel_read_size(uint32_t size[3], const char *what, const char *text, struct error *err);
bool kernel_read_argument(struct kernel *k, const char *text, struct error *err);
bool kernel_read_dump(struct kernel *k, const char *text, struct error *err);

/* The path of a program in this program's folder if it exists there, else `name` alone, for
 * execvp(). */
void kernel_tool(char *path, size_t size, const char *name);

/* Assembles the file for an ISA, unless it is raw code. The caller frees the code. NULL: *err has
 * the reason, and the assembler has printed errors of the text. */
uint8_t *kernel_code(const struct kernel *k, const char *isa, size_t *bytes, struct error *err);

/* Makes the memory and the job. NULL: *err has the reason. */
struct gpu_snapshot *kernel_build(struct kernel *k, const struct gpu_variant *variant,
                                  const struct gpu_isa *isa, struct error *err);

/* Writes the buffers of -dump with their current content. */
bool kernel_write_dumps(const struct kernel *k, const struct gpu_snapshot *s, struct error *err);

/* Frees the members of *k. */
void kernel_release(struct kernel *k);

#endif
