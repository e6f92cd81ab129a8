/*
 * The board that most tests of jobs and of the MMU start from: its GPU has one page in address
 * space 0.
 */
#ifndef TESTS_GPU_DEVICE_BED_H
#define TESTS_GPU_DEVICE_BED_H

#include "tests/gpu_device/board.h"

#define VA   UINT64_C(0x2000000) /* virtual address of `page` */
#define LONG UINT64_C(100000000)
#define MSEC UINT64_C(1000000)

struct bed {
    struct board *d;
    uint64_t root, page;
    uint64_t code; /* physical address of a further page, with CPU code, that a test adds */
};

/* Makes a board with page tables in address space 0; the caller frees bed.d. */
struct bed bed_new(void);

#endif
