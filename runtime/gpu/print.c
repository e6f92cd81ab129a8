/* The state of the GPU device as text, for a monitor. */
#include <inttypes.h>
#include <stdio.h>

#include "mali_layout.h"
#include "runtime/gpu/internal.h"

static void print_slot(const struct gpu *gpu, unsigned n, FILE *out)
{
    const struct gpu_job_slot *s = &gpu->jobs.slot[n];
    struct gpu_job_shape shape;

    fprintf(out, "slot %u: %s", n,
            !s->active    ? "idle"
            : s->stalled  ? "waits for a page"
            : s->stopping ? "stops"
                          : "runs");
    if (s->active)
        fprintf(out, ", chain 0x%" PRIx64 ", job 0x%" PRIx64 ", address space %" PRIu32, s->head,
                s->tail, (s->config & MALI_JS_CONFIG_AS) >> MALI_JS_CONFIG_AS_SHIFT);
    if (s->active && gpu_chain_shape(gpu->jobs.chain[n], &shape))
        fprintf(out, ", shader 0x%" PRIx64 ", %" PRIu64 " of %" PRIu64 " work-groups begun",
                shape.shader, shape.begun, shape.total);
    if (s->active && s->stalled)
        fprintf(out, ", at 0x%" PRIx64, s->stall_address);
    if (s->next_command == MALI_SLOT_COMMAND_START)
        fprintf(out, "; next: chain 0x%" PRIx64, s->next_head);
    if (!s->active && s->status)
        fprintf(out, ", the last chain ended with 0x%" PRIx32, s->status);
    fputc('\n', out);
}

static void print_space(const struct gpu *gpu, unsigned n, FILE *out)
{
    const struct gpu_space_regs *regs = &gpu->mmu.regs[n];

    if (!gpu_mmu_enabled(gpu, n))
        return;
    fprintf(out, "address space %u: table 0x%" PRIx64, n, regs->live_table);
    if (regs->fault_status)
        fprintf(out, ", last fault 0x%" PRIx32 " at 0x%" PRIx64, regs->fault_status,
                regs->fault_address);
    fputc('\n', out);
}

void gpu_device_print(const void *dev, FILE *out)
{
    static const char *const lines[GPU_OUTPUTS] = {"job", "mmu", "gpu"};
    const struct gpu *gpu = dev;

    fprintf(out, "cores ready: 0x%" PRIx64 " of 0x%" PRIx64 "\n",
            gpu->control.power[GPU_DOMAIN_SHADER].ready, gpu->variant->shader_present);
    for (unsigned n = 0; n < GPU_MAX_SLOTS; n++) {
        if (gpu->jobs.chain[n])
            print_slot(gpu, n, out);
    }
    for (unsigned n = 0; n < GPU_MAX_SPACES; n++)
        print_space(gpu, n, out);
    for (unsigned i = 0; i < GPU_OUTPUTS; i++)
        fprintf(out, "interrupt %s: raw 0x%" PRIx32 ", mask 0x%" PRIx32 "\n", lines[i],
                gpu->irq[i].raw, gpu->irq[i].mask);
}
