/*
 * The bare runner: one CPU, memory, and a page of two registers. main.c is compiled with the ISA; the
 * other files are a library.
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
    struct reservation flat; /* host addresses of flat memory; empty: it is not flat */
    uint8_t *flat_base;      /* host address of guest address 0 in it */
    unsigned lost;           /* number of times that a page of it lost its code */
    struct cpu_group group;  /* a group with this CPU only */
    struct jit *jit;         /* NULL: interpreted only */
    struct gdb *gdb;         /* NULL: there is no debugger */
    /* ---- options ---- */
    struct jit_options jit_options;
    const char *program;
    const char *stats;        /* folder for statistics at the end, or NULL */
    const char *gdb_address;  /* tcp:HOST:PORT, or NULL */
    uint64_t megabytes;       /* size of memory */
    uint64_t memory, address; /* addresses of memory and of a raw program */
    uint64_t io;              /* address of the page of registers; BARE_NO_IO: none */
    uint64_t limit;           /* instructions */
    bool registers;           /* print them at the end */
    bool stopped;             /* until GDB continues */
    bool runner_traps;        /* the description's handlers are not used */
    /* ---- result ---- */
    bool done;
    int status;
};

#define BARE_NO_IO UINT64_MAX

/* Makes the bus with memory. */
bool bare_add_memory(struct bare *b, struct error *err);
/* Adds the page of registers, if there is one. */
bool bare_add_io(struct bare *b, struct error *err);
/* The size of memory in bytes. */
uint64_t bare_memory_bytes(const struct bare *b);
/* Whether the description translates addresses itself, so that memory lies at its physical one. */
bool bare_translates(const struct bare *b);
/* The address on the bus for a physical address, where the description translates, or else for a
 * virtual one. */
uint64_t bare_bus_address(const struct bare *b, uint64_t address);

/* Loads the program, raw at b->address or an ELF file at its own addresses; returns the entry point in
 * *entry. */
bool bare_load_program(struct bare *b, uint64_t *entry, struct error *err);

/* Sets the hooks of b->cpu: what the description has no handler for is the runner's. */
void bare_set_hooks(struct bare *b);
/* Ends the run with an exit status. */
void bare_end(struct bare *b, int status);

#endif
