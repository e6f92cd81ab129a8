/* What most tests of jobs and of the MMU start from: a board whose GPU has a page in space 0. */
#ifndef TESTS_GPU_DEVICE_BED_H
#define TESTS_GPU_DEVICE_BED_H

#include "tests/gpu_device/board.h"

#define VA   UINT64_C(0x2000000) /* where `page` is mapped */
#define LONG UINT64_C(100000000)
#define MSEC UINT64_C(1000000)

struct bed {
    struct board *d;
    uint64_t root, page;
    uint64_t code; /* of a page that a test adds */
};

struct bed bed_new(void);

#endif
