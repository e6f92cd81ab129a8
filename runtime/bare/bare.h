/*
 * The bare runner: one CPU, memory, and a page of two device registers. main.c is compiled for each
 * ISA; the other files are a library.
 */
#ifndef RUNTIME_BARE_BARE_H
#define RUNTIME_BARE_BARE_H

#include "runtime/base/log.h"
#include "runtime/cpu/group.h"
#include "runtime/jit/jit.h"
#include "runtime/mem/flat.h"
#include "runtime/time/clock.h"

struct bare {
    const struct cpu_isa *isa;
    struct cpu *cpu;
    struct bus *bus;
    struct clock clock;
    struct log log;
    struct reservation flat;  /* host addresses of flat memory; empty: memory is not flat */
    uint8_t *flat_base;       /* host address of guest address 0 in `flat` */
    unsigned lost_code_count; /* number of times that a page of flat memory lost its decoded code */
    struct cpu_group group;   /* a group with this CPU only */
    struct jit *jit;          /* NULL: interpreted only */
    struct gdb *gdb;          /* NULL: no debugger */
    /* ---- options ---- */
    struct jit_options jit_options;
    const char *program;
    const char *stats;        /* folder for statistics at the end, or NULL */
    const char *gdb_address;  /* tcp:HOST:PORT, or NULL */
    uint64_t megabytes;       /* size of memory */
    uint64_t memory, address; /* addresses of memory and of a raw program */
    uint64_t io;              /* address of the page of registers; BARE_NO_IO: none */
    uint64_t limit;           /* largest number of instructions to execute */
    bool registers;           /* print the registers at the end */
    bool stopped;             /* do not start until GDB continues */
    bool runner_traps;        /* the description's handlers are not used */
    /* ---- result ---- */
    bool done;
    int status;
};

#define BARE_NO_IO UINT64_MAX

/* Makes b->bus with memory; flat memory if possible (memory.c). False: *err says why. */
bool bare_add_memory(struct bare *b, struct error *err);
/* Adds the page of device registers at b->io, unless that is BARE_NO_IO. False: *err says why. */
bool bare_add_io(struct bare *b, struct error *err);
/* Size of memory in bytes. */
uint64_t bare_memory_bytes(const struct bare *b);
/* Whether the description's `translate` is used; b->memory and b->io are then physical
 * addresses. */
bool bare_translates(const struct bare *b);
/* Returns the bus address for `address`: a physical address if the description translates, else a
 * virtual one. */
uint64_t bare_bus_address(const struct bare *b, uint64_t address);

/* Loads b->program: raw bytes at b->address, or an ELF file at its physical addresses. *entry
 * receives the entry point. False: *err says why. */
bool bare_load_program(struct bare *b, uint64_t *entry, struct error *err);

/* Sets the hooks of b->cpu. The runner's are used where the description has no handler, and for all
 * with b->runner_traps. */
void bare_set_hooks(struct bare *b);
/* Stops the CPU after its current block; `status` becomes the exit status. */
void bare_end(struct bare *b, int status);

#endif
