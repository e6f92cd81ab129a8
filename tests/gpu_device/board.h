/*
 * A machine with only a GPU, RAM and a driver, which does what Linux's panfrost does, step by step,
 * and writes jobs to memory. The driver's time is virtual: waiting advances the clock.
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

/*
 * Lines in bench->level[], in the order of the node's interrupt-names, which is not the device's
 * order.
 */
enum { LINE_GPU, LINE_JOB, LINE_MMU };

enum { PAGE_R = 1, PAGE_W = 2, PAGE_X = 4, PAGE_RW = PAGE_R | PAGE_W };

struct board {
    struct bench *b;
    struct gpu_variant variant;
    struct gpu_config config;
    uint64_t now;
    uint64_t free_page; /* next unused page of RAM */
};

/* Makes a board whose GPU is in its reset state. Release with board_free(). */
struct board *board_new(void);
/* As board_new(), with a supply that the caller has filled, and a meter of its energy. */
struct board *board_new_metered(struct gpu_supply *supply, const struct power_params *power);
/* As board_new(), with a GPU of 12 cores that exists. */
struct board *board_new_gpu(const struct gpu_variant *variant, const struct gpu_isa *isa);
void board_free(struct board *d);

/* Read and write registers of the GPU; wr64 writes two, the lower half first. */
uint32_t rd(struct board *d, uint32_t offset);
void wr(struct board *d, uint32_t offset, uint32_t value);
void wr64(struct board *d, uint32_t low, uint64_t value);

/*
 * Advances time by `ns`, or until the register's bits in `mask` equal `value`, by at most `ns`.
 * Returns false if they never did.
 */
void board_wait(struct board *d, uint64_t ns);
bool board_wait_for(struct board *d, uint32_t offset, uint32_t mask, uint32_t value, uint64_t ns);

/* What panfrost does at probe and at each resume: reset, power on, enable interrupts. */
void driver_reset(struct board *d);
void driver_power_on(struct board *d);
void driver_power_off(struct board *d);
void driver_resume(struct board *d);

/* Returns the physical address of a new page of zeroed RAM. */
uint64_t board_page(struct board *d);

/* Page tables: a new root, and mappings of 4 KB or (large) 2 MB. */
uint64_t space_new(struct board *d);
void space_map(struct board *d, uint64_t root, uint64_t va, uint64_t pa, unsigned rights);
void space_map_large(struct board *d, uint64_t root, uint64_t va, uint64_t pa, unsigned rights);
/* Makes an address space of the GPU use the tables, or none. */
void driver_enable(struct board *d, unsigned as, uint64_t root);
void driver_disable(struct board *d, unsigned as);
/* What the driver does after a change of the tables. */
void driver_flush(struct board *d, unsigned as, uint64_t va);

/* Access memory by its physical address. */
uint32_t peek(struct board *d, uint64_t pa);
void poke(struct board *d, uint64_t pa, uint32_t value);
void poke64(struct board *d, uint64_t pa, uint64_t value);

/* Write a job header at physical address `pa`; `next` is the GPU's address of the next header. */
void job_header(struct board *d, uint64_t pa, unsigned type, unsigned index, uint64_t next);
void job_write_value(struct board *d, uint64_t pa, uint64_t next, unsigned type, uint64_t va,
                     uint64_t value);
void job_fake(struct board *d, uint64_t pa, uint64_t next, const struct fake_job *job);

/*
 * Submits a chain to a slot. `flags` are bits of JS_CONFIG, including the number of the address
 * space.
 */
void driver_submit(struct board *d, unsigned slot, uint64_t head, uint32_t flags);

/*
 * Waits up to `ns` for the slot's done or failed bit and clears it. Returns the status, and
 * JS_STATE in *state.
 */
uint32_t driver_finish(struct board *d, unsigned slot, uint64_t ns, uint32_t *state);

#endif
