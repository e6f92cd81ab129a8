/*
 * A machine that is a GPU, RAM and a driver: what Linux's panfrost does, step by step, and what it
 * puts into memory for jobs. The driver's time is virtual: waiting moves the clock.
 */
#ifndef TESTS_GPU_DEVICE_BOARD_H
#define TESTS_GPU_DEVICE_BOARD_H

#include "mali_layout.h"
#include "runtime/gpu/gpu.h"
#include "runtime/gpu/variant.h"
#include "tests/dev/bench.h"
#include "tests/gpu_device/fake_compute.h"

#define BOARD_RAM  UINT64_C(0x80000000)
#define BOARD_SIZE UINT64_C(0x1000000)

/* Lines of bench->level[], in the order of the node's interrupt-names: not that of the device. */
enum { LINE_GPU, LINE_JOB, LINE_MMU };

enum { PAGE_R = 1, PAGE_W = 2, PAGE_X = 4, PAGE_RW = PAGE_R | PAGE_W };

struct board {
    struct bench *b;
    struct gpu_variant variant;
    struct gpu_config config;
    uint64_t now;
    uint64_t free_page; /* next page of RAM to give out */
};

struct board *board_new(void);
void board_free(struct board *d);

/* Registers. */
uint32_t rd(struct board *d, uint32_t offset);
void wr(struct board *d, uint32_t offset, uint32_t value);
void wr64(struct board *d, uint32_t low, uint64_t value);

/* Lets time pass; or until a register has the bits, at most so long: false if it never has. */
void board_wait(struct board *d, uint64_t ns);
bool board_wait_for(struct board *d, uint32_t offset, uint32_t mask, uint32_t value, uint64_t ns);

/* What panfrost does at probe, and at each resume: reset, power on, interrupts on. */
void driver_reset(struct board *d);
void driver_power_on(struct board *d);
void driver_power_off(struct board *d);
void driver_resume(struct board *d);

/* A page of zeroed RAM. */
uint64_t board_page(struct board *d);

/* Page tables: a root, and mappings of 4 KB or (large) 2 MB. */
uint64_t space_new(struct board *d);
void space_map(struct board *d, uint64_t root, uint64_t va, uint64_t pa, unsigned rights);
void space_map_large(struct board *d, uint64_t root, uint64_t va, uint64_t pa, unsigned rights);
/* Makes an address space of the GPU use the tables; off: none. */
void driver_enable(struct board *d, unsigned as, uint64_t root);
void driver_disable(struct board *d, unsigned as);
/* After a change of the tables. */
void driver_flush(struct board *d, unsigned as, uint64_t va);

/* Memory by physical address. */
uint32_t peek(struct board *d, uint64_t pa);
void poke(struct board *d, uint64_t pa, uint32_t value);
void poke64(struct board *d, uint64_t pa, uint64_t value);

/* A job header at `pa`, for chains whose next header has the GPU's address `next`. */
void job_header(struct board *d, uint64_t pa, unsigned type, unsigned index, uint64_t next);
void job_write_value(struct board *d, uint64_t pa, uint64_t next, unsigned type, uint64_t va,
                     uint64_t value);
void job_fake(struct board *d, uint64_t pa, uint64_t next, const struct fake_job *job);

/* Submits a chain to a slot: `flags` are bits of JS_CONFIG, with the address space's number. */
void driver_submit(struct board *d, unsigned slot, uint64_t head, uint32_t flags);

/* Waits for the slot's done or failed bit and clears it; returns the status, and JS_STATE. */
uint32_t driver_finish(struct board *d, unsigned slot, uint64_t ns, uint32_t *state);

#endif
