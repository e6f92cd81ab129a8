/* A GPU behind its registers, without CPUs, for fuzzing. */
#include "tests/fuzz/gpu_machine.h"

#include <string.h>

#include "runtime/gpu/isa.h"
#include "runtime/gpu/variant.h"

extern const struct gpu_isa bifrost_isa, midgard_isa;

bool gpu_machine_open(struct gpu_machine *m, const char *gpu)
{
    const struct gpu_variant *variant = gpu_variant_by_name(gpu);
    struct error err;

    memset(m, 0, sizeof(*m));
    m->bus = bus_new(&m->log);
    clock_init(&m->clock);
    m->reg = (struct device_reg){GPU_MACHINE_BASE, 0x4000};
    m->config = (struct gpu_config){
        .variant = variant,
        .isa = strcmp(variant->isa, midgard_isa.name) ? &bifrost_isa : &midgard_isa,
        .threads = 1,
    };
    m->env = (struct device_env){
        .name = "gpu",
        .path = "/gpu",
        .compatible = m->config.variant->compatible,
        .reg_count = 1,
        .reg = &m->reg,
        .cpu_count = 1,
        .bus = m->bus,
        .clock = &m->clock,
        .log = &m->log,
        .gpu = &m->config,
    };
    if (!bus_add_ram(m->bus, "ram", GPU_MACHINE_RAM, GPU_MACHINE_SIZE, &err))
        return false;
    m->gpu = gpu_class.create(&m->env, &err);
    return m->gpu != NULL;
}

void gpu_machine_close(struct gpu_machine *m)
{
    if (m->gpu)
        gpu_class.destroy(m->gpu);
    clock_free(&m->clock);
    bus_free(m->bus);
}

void gpu_machine_write(struct gpu_machine *m, uint32_t offset, uint32_t value)
{
    bus_write(m->bus, GPU_MACHINE_BASE + offset, 4, value, 0);
}

void gpu_machine_read(struct gpu_machine *m, uint32_t offset)
{
    uint64_t value;

    bus_read(m->bus, GPU_MACHINE_BASE + offset, 4, &value, 0);
}
