/* A GPU, RAM and a clock, for harnesses that drive registers. */
#ifndef TESTS_FUZZ_GPU_MACHINE_H
#define TESTS_FUZZ_GPU_MACHINE_H

#include "runtime/dev/device.h"
#include "runtime/gpu/gpu.h"

#define GPU_MACHINE_BASE UINT64_C(0x10000000)
#define GPU_MACHINE_RAM  UINT64_C(0x80000000)
#define GPU_MACHINE_SIZE UINT64_C(0x100000)

struct gpu_machine {
    struct bus *bus;
    struct clock clock;
    struct log log;
    struct device_reg reg;
    struct gpu_config config;
    struct device_env env;
    void *gpu;
};

/*
 * Makes a machine with the GPU of that name. Returns false if memory is exhausted. Release with
 * gpu_machine_close().
 */
bool gpu_machine_open(struct gpu_machine *m, const char *gpu);
void gpu_machine_close(struct gpu_machine *m);

/* Access the 32-bit register at `offset`; the value that is read is not returned. */
void gpu_machine_write(struct gpu_machine *m, uint32_t offset, uint32_t value);
void gpu_machine_read(struct gpu_machine *m, uint32_t offset);

#endif
