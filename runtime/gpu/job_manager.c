/*
 * The job manager: slots that run chains of jobs, each with a second set of registers for the next
 * chain.
 *
 * Slots whose chains share shader cores take turns of one step each; chains without a common core
 * run at the same time (job_cores.c chooses the cores). The results of a step are in memory from
 * its beginning. Its end (interrupt, status) follows after the virtual time that it takes.
 *
 * Bounds      one step of a chain per event, after which virtual time passes: the driver has time
 *             to stop a chain that is a circle
 */
#include <inttypes.h>
#include <string.h>

#include "mali_layout.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/internal.h"

/*
 * Delay between an MMU command and the retry of jobs that wait for a page. A driver that kills a
 * job flushes first and switches the address space off right after, so the retry must not be
 * immediate.
 */
#define REPLAY_NS UINT64_C(10000)

unsigned gpu_slot_space(const struct gpu_job_slot *s)
{
    return (s->config & MALI_JS_CONFIG_AS) >> MALI_JS_CONFIG_AS_SHIFT;
}

static bool is_runnable(const struct gpu_job_slot *s)
{
    return s->active && !s->stalled;
}

bool gpu_device_is_running(void *dev)
{
    const struct gpu *gpu = dev;

    for (unsigned n = 0; n < GPU_MAX_SLOTS; n++)
        if (is_runnable(&gpu->jobs.slot[n]))
            return true;
    return false;
}

bool gpu_jobs_busy(const struct gpu *gpu)
{
    for (unsigned n = 0; n < GPU_MAX_SLOTS; n++) {
        if (gpu->jobs.slot[n].active)
            return true;
    }
    return false;
}

/* Plans a step of slot `n`, which can run. If an event is planned already, the slot takes its turn
 * then. It does not wait for that event if all steps in progress use other cores. */
static void plan_step(struct gpu *gpu, unsigned n)
{
    uint64_t soon = gpu_cycles_to_ns(gpu, 1), due = gpu->due[GPU_EVENT_JOBS];

    if (due == CLOCK_NEVER || (due > clock_now(gpu->env->clock) + soon &&
                               gpu_jobs_others_step(gpu, n) && gpu_jobs_cores_free(gpu, n)))
        gpu_plan(gpu, GPU_EVENT_JOBS, soon);
}

/* Plans the end of the step that ends first. */
static void plan_end(struct gpu *gpu)
{
    uint64_t first = CLOCK_NEVER, now = clock_now(gpu->env->clock);

    for (unsigned n = 0; n < GPU_MAX_SLOTS; n++)
        if (gpu->jobs.slot[n].stepping && gpu->jobs.slot[n].step_end < first)
            first = gpu->jobs.slot[n].step_end;
    if (first != CLOCK_NEVER)
        gpu_plan(gpu, GPU_EVENT_JOBS, first > now ? first - now : 1);
}

/* ---- begin and end of a chain ---------------------------------------------------------------- */

static void promote_chain(struct gpu *gpu, unsigned n);

static void end_chain(struct gpu *gpu, unsigned n, uint32_t status)
{
    struct gpu_job_slot *s = &gpu->jobs.slot[n];
    bool done = status == MALI_EXCEPTION_DONE;

    log_printf(gpu->env->log, LOG_GPU, "gpu: slot %u: ends with %#" PRIx32 "\n", n, status);
    s->status = status;
    s->active = s->stalled = s->stepping = 0;
    s->blocked = !done;
    gpu_raise(gpu, GPU_OUTPUT_JOB,
              UINT32_C(1) << (n + (done ? MALI_JOB_IRQ_RAWSTAT_DONE_SHIFT
                                        : MALI_JOB_IRQ_RAWSTAT_FAILED_SHIFT)));
    gpu_observe_chain_end(gpu, n, gpu_slot_space(s));
    if (done)
        promote_chain(gpu, n);
}

static void cancel_chain(struct gpu *gpu, unsigned n, uint32_t code)
{
    unsigned space = gpu_slot_space(&gpu->jobs.slot[n]);

    gpu_mmu_enter(gpu, space);
    gpu_chain_cancel(gpu->jobs.chain[n], code);
    gpu_observe_stepped(gpu, n, space, clock_now(gpu->env->clock));
    gpu_mmu_leave(gpu, space);
    end_chain(gpu, n, code);
}

/* The reason for which the chain cannot start, or 0. */
static uint32_t start_error(const struct gpu *gpu, const struct gpu_job_slot *s)
{
    const struct gpu_power *power = gpu->control.power;

    if (!(gpu_constant(gpu, MALI_AS_PRESENT) >> gpu_slot_space(s) & 1))
        return MALI_EXCEPTION_JOB_CONFIG_FAULT;
    if (!(s->affinity & gpu->variant->shader_present))
        return MALI_EXCEPTION_JOB_AFFINITY_FAULT;
    if (!power[GPU_DOMAIN_L2].ready || !(power[GPU_DOMAIN_SHADER].ready & s->affinity))
        return MALI_EXCEPTION_JOB_POWER_FAULT;
    return 0;
}

static void start_chain(struct gpu *gpu, unsigned n, uint64_t head)
{
    struct gpu_job_slot *s = &gpu->jobs.slot[n];
    const struct gpu_address_space *as = gpu_mmu_enter(gpu, gpu_slot_space(s));

    if (head == s->head)
        gpu_record_submit(gpu, n, gpu_slot_space(s), head);
    gpu_chain_start(gpu->jobs.chain[n], as, head, gpu_constant(gpu, MALI_JS_FEATURES(n)),
                    s->config & MALI_JS_CONFIG_DISABLE_DESCRIPTOR_WR_BK ? 0 : GPU_CHAIN_WRITE_BACK);
    if (s->stopping)
        gpu_chain_soft_stop(gpu->jobs.chain[n]);
}

/* Moves the slot's second set of registers to the first and starts its chain. */
static void promote_chain(struct gpu *gpu, unsigned n)
{
    struct gpu_job_slot *s = &gpu->jobs.slot[n];
    uint32_t refused;

    if (s->active || s->blocked || s->next_command != MALI_SLOT_COMMAND_START)
        return;
    s->next_command = MALI_SLOT_COMMAND_NOP;
    s->head = s->tail = s->next_head;
    s->affinity = s->next_affinity;
    s->config = s->next_config;
    s->xaffinity = s->next_xaffinity;
    s->stopping = 0;
    log_printf(gpu->env->log, LOG_GPU,
               "gpu: slot %u: chain %#" PRIx64 ", address space %u, config %#" PRIx32 "\n", n,
               s->head, gpu_slot_space(s), s->config);
    gpu_observe_chain(gpu, n);
    refused = start_error(gpu, s);
    if (refused) {
        end_chain(gpu, n, refused);
        return;
    }
    s->active = 1;
    s->status = MALI_EXCEPTION_ACTIVE;
    if (s->config & MALI_JS_CONFIG_START_FLUSH)
        gpu->control.flush_id++;
    gpu_jobs_choose_cores(gpu, n);
    start_chain(gpu, n, s->head);
    plan_step(gpu, n);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Lets the job wait if the driver can serve the fault; else the job fails. */
static void page_fault(struct gpu *gpu, unsigned n, const struct gpu_fault *fault)
{
    struct gpu_job_slot *s = &gpu->jobs.slot[n];
    unsigned space = gpu_slot_space(s);

    if (!gpu_mmu_enabled(gpu, space) || !gpu_mmu_fault(gpu, space, fault)) {
        cancel_chain(gpu, n, MALI_EXCEPTION_JOB_BUS_FAULT);
        return;
    }
    s->stalled = 1;
    s->replay = 0;
    s->stall_address = fault->va;
    s->stall_access = fault->access;
}

/* Ends the slot's step in progress. */
static void end_step(struct gpu *gpu, unsigned n)
{
    struct gpu_chain_outcome *out = &gpu->jobs.outcome[n];
    struct gpu_job_slot *s = &gpu->jobs.slot[n];

    s->stepping = 0;
    s->tail = out->tail;
    switch (out->progress) {
    case GPU_CHAIN_MORE:
        break;
    case GPU_CHAIN_FAULT:
        page_fault(gpu, n, &out->fault);
        break;
    case GPU_CHAIN_DONE:
    case GPU_CHAIN_STOPPED:
    case GPU_CHAIN_FAILED:
        end_chain(gpu, n, out->code);
        break;
    }
}

static void begin_step(struct gpu *gpu, unsigned n)
{
    struct gpu_job_slot *s = &gpu->jobs.slot[n];
    uint64_t cores = gpu_chain_cores(gpu->jobs.chain[n]), cycles;
    unsigned space = gpu_slot_space(s);

    gpu_mmu_enter(gpu, space);
    gpu_observe_step(gpu, n);
    gpu_chain_step(gpu->jobs.chain[n], &gpu->jobs.outcome[n]);
    cycles = gpu->jobs.outcome[n].cycles;
    gpu_meter_step(gpu, n, cycles);
    s->step_end = clock_now(gpu->env->clock) + gpu_cycles_to_ns(gpu, cycles);
    gpu_observe_stepped(gpu, n, space, s->step_end);
    gpu_mmu_leave(gpu, space);
    s->stepping = 1;
    gpu->jobs.turn = n;
    gpu->perfcnt.active_cycles += gpu_jobs_count_step(gpu, n, cores, cycles);
    gpu->perfcnt.slot[n].active_cycles += cycles;
}

void gpu_jobs_event(struct gpu *gpu)
{
    uint64_t now = clock_now(gpu->env->clock);
    unsigned turn = gpu->jobs.turn;

    for (unsigned n = 0; n < GPU_MAX_SLOTS; n++)
        if (gpu->jobs.slot[n].stepping && gpu->jobs.slot[n].step_end <= now)
            end_step(gpu, n);
    for (unsigned i = 1; i <= GPU_MAX_SLOTS; i++) {
        unsigned n = (turn + i) % GPU_MAX_SLOTS;

        if (is_runnable(&gpu->jobs.slot[n]) && !gpu->jobs.slot[n].stepping &&
            gpu_jobs_cores_free(gpu, n))
            begin_step(gpu, n);
    }
    plan_end(gpu);
    gpu_meter_tell(gpu);
}

/* ---- waiting for pages ----------------------------------------------------------------------- */

static void resume_slot(struct gpu *gpu, unsigned n)
{
    gpu->jobs.slot[n].stalled = gpu->jobs.slot[n].replay = 0;
    plan_step(gpu, n);
}

static bool is_mapped(struct gpu *gpu, const struct gpu_job_slot *s)
{
    const struct gpu_address_space *as = gpu_mmu_enter(gpu, gpu_slot_space(s));
    struct gpu_page page;

    return !as->translate(as->opaque, s->stall_address, s->stall_access, &page);
}

void gpu_jobs_retry(struct gpu *gpu, unsigned space)
{
    for (unsigned n = 0; n < GPU_MAX_SLOTS; n++) {
        struct gpu_job_slot *s = &gpu->jobs.slot[n];

        if (s->stalled && gpu_slot_space(s) == space && is_mapped(gpu, s))
            resume_slot(gpu, n);
    }
}

void gpu_jobs_replay_later(struct gpu *gpu, unsigned space)
{
    for (unsigned n = 0; n < GPU_MAX_SLOTS; n++) {
        struct gpu_job_slot *s = &gpu->jobs.slot[n];

        if (!s->stalled || gpu_slot_space(s) != space)
            continue;
        s->replay = 1;
        gpu_plan(gpu, GPU_EVENT_REPLAY, REPLAY_NS);
    }
}

void gpu_jobs_replay(struct gpu *gpu)
{
    for (unsigned n = 0; n < GPU_MAX_SLOTS; n++) {
        if (gpu->jobs.slot[n].stalled && gpu->jobs.slot[n].replay)
            resume_slot(gpu, n);
    }
}

/* ---- commands -------------------------------------------------------------------------------- */

static void soft_stop(struct gpu *gpu, unsigned n)
{
    gpu->jobs.slot[n].stopping = 1;
    gpu_chain_soft_stop(gpu->jobs.chain[n]);
}

static void run_command(struct gpu *gpu, unsigned n, uint32_t value)
{
    struct gpu_job_slot *s = &gpu->jobs.slot[n];
    bool flag = s->config & MALI_JS_CONFIG_JOB_CHAIN_FLAG;

    switch (value) {
    case MALI_SLOT_COMMAND_NOP:
        return;
    case MALI_SLOT_COMMAND_SOFT_STOP_0:
    case MALI_SLOT_COMMAND_SOFT_STOP_1:
        if (flag != (value == MALI_SLOT_COMMAND_SOFT_STOP_1))
            return;
        break;
    case MALI_SLOT_COMMAND_HARD_STOP_0:
    case MALI_SLOT_COMMAND_HARD_STOP_1:
        if (flag != (value == MALI_SLOT_COMMAND_HARD_STOP_1))
            return;
        break;
    case MALI_SLOT_COMMAND_SOFT_STOP:
    case MALI_SLOT_COMMAND_HARD_STOP:
        break;
    default:
        gpu_misused(gpu, MALI_JS_COMMAND(n), "unknown slot command", value);
        return;
    }
    if (!s->active)
        return;
    log_printf(gpu->env->log, LOG_GPU, "gpu: slot %u: command %" PRIu32 "\n", n, value);
    if (value == MALI_SLOT_COMMAND_SOFT_STOP || value == MALI_SLOT_COMMAND_SOFT_STOP_0 ||
        value == MALI_SLOT_COMMAND_SOFT_STOP_1)
        soft_stop(gpu, n);
    else
        cancel_chain(gpu, n, MALI_EXCEPTION_TERMINATED);
}

/*
 * Clears interrupts for the driver. A slot whose failure is acknowledged may continue. JS_STATE is
 * updated for the slots in `bits`.
 */
static void acknowledge_interrupts(struct gpu *gpu, uint32_t bits)
{
    gpu_clear(gpu, GPU_OUTPUT_JOB, bits);
    for (unsigned n = 0; n < GPU_MAX_SLOTS; n++) {
        uint32_t done = UINT32_C(1) << (n + MALI_JOB_IRQ_RAWSTAT_DONE_SHIFT);
        uint32_t failed = UINT32_C(1) << (n + MALI_JOB_IRQ_RAWSTAT_FAILED_SHIFT);
        uint32_t current = UINT32_C(1) << (n + MALI_JOB_IRQ_JS_STATE_CURRENT_SHIFT);
        uint32_t next = UINT32_C(1) << (n + MALI_JOB_IRQ_JS_STATE_NEXT_SHIFT);
        struct gpu_job_slot *s = &gpu->jobs.slot[n];

        if (!(bits & (done | failed)))
            continue;
        if (bits & failed && s->blocked) {
            s->blocked = 0;
            promote_chain(gpu, n);
        }
        gpu->jobs.state &= ~(current | next);
        gpu->jobs.state |= s->active ? current : 0;
        gpu->jobs.state |= s->next_command == MALI_SLOT_COMMAND_START ? next : 0;
    }
}

/* ---- registers ------------------------------------------------------------------------------- */

/* Splits an offset into the number of a slot that the GPU has and the register's offset in slot
 * 0. */
static bool slot_of(const struct gpu *gpu, uint32_t offset, unsigned *n, uint32_t *reg)
{
    uint32_t at = offset - MALI_JOB_SLOT_BASE;

    *n = at / MALI_JOB_SLOT_STRIDE;
    *reg = MALI_JOB_SLOT_BASE + at % MALI_JOB_SLOT_STRIDE;
    return offset >= MALI_JOB_SLOT_BASE && *n < GPU_MAX_SLOTS && gpu->jobs.chain[*n];
}

static bool slot_read(const struct gpu_job_slot *s, uint32_t reg, uint32_t *value)
{
    switch (reg) {
    case MALI_JS_HEAD_LO(0):
    case MALI_JS_HEAD_HI(0):
        *value = gpu_half(s->head, reg == MALI_JS_HEAD_HI(0));
        return true;
    case MALI_JS_TAIL_LO(0):
    case MALI_JS_TAIL_HI(0):
        *value = gpu_half(s->tail, reg == MALI_JS_TAIL_HI(0));
        return true;
    case MALI_JS_AFFINITY_LO(0):
    case MALI_JS_AFFINITY_HI(0):
        *value = gpu_half(s->affinity, reg == MALI_JS_AFFINITY_HI(0));
        return true;
    case MALI_JS_CONFIG(0):
        *value = s->config;
        return true;
    case MALI_JS_XAFFINITY(0):
        *value = s->xaffinity;
        return true;
    case MALI_JS_COMMAND(0):
        *value = 0;
        return true;
    case MALI_JS_STATUS(0):
        *value = s->status;
        return true;
    case MALI_JS_HEAD_NEXT_LO(0):
    case MALI_JS_HEAD_NEXT_HI(0):
        *value = gpu_half(s->next_head, reg == MALI_JS_HEAD_NEXT_HI(0));
        return true;
    case MALI_JS_AFFINITY_NEXT_LO(0):
    case MALI_JS_AFFINITY_NEXT_HI(0):
        *value = gpu_half(s->next_affinity, reg == MALI_JS_AFFINITY_NEXT_HI(0));
        return true;
    case MALI_JS_CONFIG_NEXT(0):
        *value = s->next_config;
        return true;
    case MALI_JS_XAFFINITY_NEXT(0):
        *value = s->next_xaffinity;
        return true;
    case MALI_JS_COMMAND_NEXT(0):
        *value = s->next_command;
        return true;
    case MALI_JS_FLUSH_ID_NEXT(0):
        *value = s->next_flush_id;
        return true;
    }
    return false;
}

static void next_command(struct gpu *gpu, unsigned n, uint32_t value)
{
    struct gpu_job_slot *s = &gpu->jobs.slot[n];

    if (value != MALI_SLOT_COMMAND_NOP && value != MALI_SLOT_COMMAND_START) {
        gpu_misused(gpu, MALI_JS_COMMAND_NEXT(n), "unknown command for the next chain", value);
        return;
    }
    s->next_command = value;
    if (value == MALI_SLOT_COMMAND_START)
        gpu_observe_submit(gpu, n);
    promote_chain(gpu, n);
}

static bool slot_write(struct gpu *gpu, unsigned n, uint32_t reg, uint32_t value)
{
    struct gpu_job_slot *s = &gpu->jobs.slot[n];

    switch (reg) {
    case MALI_JS_COMMAND(0):
        run_command(gpu, n, value);
        return true;
    case MALI_JS_HEAD_NEXT_LO(0):
    case MALI_JS_HEAD_NEXT_HI(0):
        gpu_set_half(&s->next_head, reg == MALI_JS_HEAD_NEXT_HI(0), value);
        return true;
    case MALI_JS_AFFINITY_NEXT_LO(0):
    case MALI_JS_AFFINITY_NEXT_HI(0):
        gpu_set_half(&s->next_affinity, reg == MALI_JS_AFFINITY_NEXT_HI(0), value);
        return true;
    case MALI_JS_CONFIG_NEXT(0):
        s->next_config = value;
        return true;
    case MALI_JS_XAFFINITY_NEXT(0):
        s->next_xaffinity = value;
        return true;
    case MALI_JS_COMMAND_NEXT(0):
        next_command(gpu, n, value);
        return true;
    case MALI_JS_FLUSH_ID_NEXT(0):
        s->next_flush_id = value;
        return true;
    }
    return false;
}

bool gpu_jobs_read(struct gpu *gpu, uint32_t offset, uint32_t *value)
{
    unsigned n;
    uint32_t reg;

    switch (offset) {
    case MALI_JOB_IRQ_RAWSTAT:
        *value = gpu->irq[GPU_OUTPUT_JOB].raw;
        return true;
    case MALI_JOB_IRQ_MASK:
        *value = gpu->irq[GPU_OUTPUT_JOB].mask;
        return true;
    case MALI_JOB_IRQ_STATUS:
        *value = gpu_irq_status(gpu, GPU_OUTPUT_JOB);
        return true;
    case MALI_JOB_IRQ_CLEAR:
        *value = 0;
        return true;
    case MALI_JOB_IRQ_JS_STATE:
        *value = gpu->jobs.state;
        return true;
    case MALI_JOB_IRQ_THROTTLE:
        *value = gpu->jobs.throttle;
        return true;
    }
    return slot_of(gpu, offset, &n, &reg) && slot_read(&gpu->jobs.slot[n], reg, value);
}

bool gpu_jobs_write(struct gpu *gpu, uint32_t offset, uint32_t value)
{
    unsigned n;
    uint32_t reg;

    switch (offset) {
    case MALI_JOB_IRQ_RAWSTAT:
        gpu_raise(gpu, GPU_OUTPUT_JOB, value);
        return true;
    case MALI_JOB_IRQ_CLEAR:
        acknowledge_interrupts(gpu, value);
        return true;
    case MALI_JOB_IRQ_MASK:
        gpu_set_mask(gpu, GPU_OUTPUT_JOB, value);
        return true;
    case MALI_JOB_IRQ_THROTTLE:
        gpu->jobs.throttle = value;
        return true;
    }
    return slot_of(gpu, offset, &n, &reg) && slot_write(gpu, n, reg, value);
}

/* ---- the device ------------------------------------------------------------------------------ */

static uint64_t read_clock(void *opaque, enum gpu_chain_clock which)
{
    const struct gpu_slot_link *link = opaque;

    return which == GPU_CHAIN_CYCLE_COUNT ? gpu_cycle_count(link->gpu) : gpu_timestamp(link->gpu);
}

static void describe_owner(void *opaque, char *text, size_t size)
{
    const struct gpu_slot_link *link = opaque;

    snprintf(text, size, " (slot %u, address space %u)", link->n,
             gpu_slot_space(&link->gpu->jobs.slot[link->n]));
}

static void count_job(void *opaque, const struct gpu_chain_job *job)
{
    const struct gpu_slot_link *link = opaque;

    log_printf(link->gpu->env->log, LOG_GPU,
               "gpu: slot %u: %s job %u at %#" PRIx64 " ends with %#" PRIx32 " after %" PRIu64
               " cycles\n",
               link->n, gpu_chain_type_name(job->type), job->index, job->address, job->status,
               job->cycles);
    link->gpu->perfcnt.slot[link->n].jobs++;
    link->gpu->perfcnt.slot[link->n].tasks += gpu_work(link->gpu)->groups - link->gpu->groups;
    link->gpu->groups = gpu_work(link->gpu)->groups;
    link->gpu->jobs.times[link->n].job = *job;
    link->gpu->jobs.times[link->n].ended = true;
}

static uint64_t cores_of(void *opaque, const struct gpu_chain_job *job)
{
    const struct gpu_slot_link *link = opaque;

    return gpu_jobs_cores_of(link->gpu, link->n, job);
}

static void count_flush(void *opaque)
{
    const struct gpu_slot_link *link = opaque;

    link->gpu->control.flush_id++;
}

bool gpu_jobs_create(struct gpu *gpu)
{
    for (unsigned n = 0; n < GPU_MAX_SLOTS; n++) {
        struct gpu_chain_env env = {
            .variant = gpu->variant,
            .cores = gpu->cores,
            .log = gpu->env->log,
            .counters = &gpu->chains,
            .clock = read_clock,
            .owner = describe_owner,
            .job_end = count_job,
            .cores_of = cores_of,
            .flush = count_flush,
            .opaque = &gpu->jobs.link[n],
        };

        gpu->jobs.link[n] = (struct gpu_slot_link){gpu, n};
        if (!(gpu_constant(gpu, MALI_JS_PRESENT) >> n & 1))
            continue;
        gpu->jobs.chain[n] = gpu_chain_new(&env);
        if (!gpu->jobs.chain[n])
            return false;
    }
    return true;
}

void gpu_jobs_destroy(struct gpu *gpu)
{
    for (unsigned n = 0; n < GPU_MAX_SLOTS; n++)
        gpu_chain_free(gpu->jobs.chain[n]);
}

void gpu_jobs_reset(struct gpu *gpu)
{
    struct gpu_jobs *jobs = &gpu->jobs;

    for (unsigned n = 0; n < GPU_MAX_SLOTS; n++) {
        if (jobs->chain[n])
            gpu_chain_drop(jobs->chain[n]);
    }
    memset(jobs->slot, 0, sizeof(jobs->slot));
    memset(jobs->times, 0, sizeof(jobs->times));
    jobs->state = jobs->throttle = jobs->turn = jobs->loaded = 0;
}

/* Whether the step in progress of a restored snapshot was carried out, and only its end remains. Of
 * a chain that was not loaded only the ends of jobs are known. */
static bool is_settled(const struct gpu *gpu, unsigned n)
{
    const struct gpu_jobs *jobs = &gpu->jobs;
    const struct gpu_chain_outcome *out = &jobs->outcome[n];

    return jobs->slot[n].stepping && jobs->slot[n].active && !jobs->slot[n].stalled &&
           (unsigned)out->progress <= GPU_CHAIN_FAILED && gpu->due[GPU_EVENT_JOBS] != CLOCK_NEVER &&
           (jobs->loaded >> n & 1 || (out->between == 1 && out->progress != GPU_CHAIN_FAULT));
}

/* Restarts a running chain after a load. */
static void resume_at(struct gpu *gpu, unsigned n)
{
    if (!gpu->jobs.slot[n].stepping)
        start_chain(gpu, n, gpu->jobs.slot[n].tail);
    else if (gpu->jobs.outcome[n].progress == GPU_CHAIN_MORE)
        start_chain(gpu, n, gpu->jobs.outcome[n].tail);
}

void gpu_jobs_post_load(struct gpu *gpu)
{
    for (unsigned n = 0; n < GPU_MAX_SLOTS; n++) {
        struct gpu_job_slot *s = &gpu->jobs.slot[n];

        if (!gpu->jobs.chain[n]) {
            *s = (struct gpu_job_slot){0};
            continue;
        }
        s->stepping = is_settled(gpu, n);
        if (!(gpu->jobs.loaded >> n & 1))
            gpu_chain_drop(gpu->jobs.chain[n]);
        s->stall_access %= GPU_ACCESS_WRITE + 1;
        gpu->jobs.outcome[n].fault.access %= GPU_ACCESS_WRITE + 1;
        if (!s->active)
            s->stalled = 0;
        else if (!s->stalled && !s->stepping)
            plan_step(gpu, n);
        if (s->active && !(gpu->jobs.loaded >> n & 1))
            resume_at(gpu, n);
    }
    gpu->jobs.loaded = 0;
}
