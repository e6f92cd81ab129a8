/* Runs chains of jobs step by step: headers, kinds of jobs, stops and failures. */
#include "runtime/gpu/chain.h"

#include <inttypes.h>
#include <stdlib.h>

#include "mali_layout.h"
#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/base/log.h"
#include "runtime/base/state.h"
#include "runtime/gpu/graphics.h"
#include "runtime/gpu/variant.h"

/* GPU cycles that the job manager needs to fetch, start and end a job. */
#define JOB_CYCLES 500

enum phase {
    PHASE_ENDED,
    PHASE_FETCH,  /* the header at `current` is read next */
    PHASE_WORK,   /* the job runs */
    PHASE_STATUS, /* the job is done, but its header's status is not written yet */
};

struct gpu_chain {
    struct gpu_chain_env env;
    const struct gpu_address_space *as;
    uint32_t types;
    unsigned flags;

    enum phase phase;
    bool soft_stop;
    uint64_t current; /* address of the current header */
    bool header_read; /* the header at `current` was read */
    uint64_t jobs;    /* number of jobs that have begun */
    struct gpu_chain_job job;
    void *work;                   /* state of the running job, of its kind */
    struct gpu_chain_outcome end; /* outcome of a chain that has ended */
    uint32_t logged;              /* bit t: job type t was reported as not modelled */
    const char *refused;          /* the last refusal that was logged; NULL: none */
};

/* The GPU's exception code for each error of a compute job. */
static const uint32_t error_codes[] = {
    [GPU_JOB_OK] = MALI_EXCEPTION_DONE,
    [GPU_JOB_CONFIG_FAULT] = MALI_EXCEPTION_JOB_CONFIG_FAULT,
    [GPU_JOB_READ_FAULT] = MALI_EXCEPTION_JOB_READ_FAULT,
    [GPU_JOB_WRITE_FAULT] = MALI_EXCEPTION_JOB_WRITE_FAULT,
    [GPU_JOB_BAD_TYPE] = MALI_EXCEPTION_DATA_INVALID_FAULT,
    [GPU_JOB_INVALID_PC] = MALI_EXCEPTION_INSTR_INVALID_PC,
    [GPU_JOB_INVALID_ENCODING] = MALI_EXCEPTION_INSTR_INVALID_ENC,
    [GPU_JOB_OUT_OF_MEMORY] = MALI_EXCEPTION_OUT_OF_MEMORY,
    [GPU_JOB_UNIMPLEMENTED] = MALI_EXCEPTION_UNKNOWN,
};

/*
 * A kind of job. start() begins a job and may end it at once. step() continues it. free() releases
 * chain->work, whether the job has ended or not. Without start() the kind is not modelled; without
 * step() a job ends when it starts.
 */
struct job_kind {
    const char *name;
    void (*start)(struct gpu_chain *c, struct gpu_chain_outcome *out);
    void (*step)(struct gpu_chain *c, struct gpu_chain_outcome *out);
    void (*free)(void *work);
    /* the shape of the running job; NULL: the kind has none */
    void (*shape)(const void *work, struct gpu_job_shape *out);
};

static const struct job_kind *kind_of(unsigned type);

static void end_work(struct gpu_chain *c)
{
    if (c->work)
        kind_of(c->job.type)->free(c->work);
    c->work = NULL;
}

struct gpu_chain *gpu_chain_new(const struct gpu_chain_env *env)
{
    struct gpu_chain *c = xcalloc(1, sizeof(*c));

    c->env = *env;
    return c;
}

void gpu_chain_free(struct gpu_chain *c)
{
    if (!c)
        return;
    end_work(c);
    free(c);
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void tell_end(struct gpu_chain *c, uint32_t status)
{
    c->job.status = status;
    if (c->header_read && c->env.job_end)
        c->env.job_end(c->env.opaque, &c->job);
    c->header_read = false;
    c->job.cycles = 0;
}

static void end_chain(struct gpu_chain *c, enum gpu_chain_progress progress, uint32_t code)
{
    end_work(c);
    c->phase = PHASE_ENDED;
    c->end = (struct gpu_chain_outcome){.progress = progress, .tail = c->current, .code = code};
}

static void end_stopped(struct gpu_chain *c)
{
    if (c->env.counters)
        c->env.counters->stopped++;
    end_chain(c, GPU_CHAIN_STOPPED, MALI_EXCEPTION_STOPPED);
}

static bool write_word(const struct gpu_chain *c, size_t offset, unsigned bytes, uint64_t value,
                       struct gpu_fault *fault)
{
    uint8_t raw[8];

    le_put(raw, bytes, value);
    return gpu_memory_write(c->as, c->current + offset, raw, bytes, fault);
}

/* Writes the status of a failed job to its header if the header can be written. */
static void write_failure(const struct gpu_chain *c, uint32_t code, uint64_t address)
{
    struct gpu_fault ignored;

    if (!(c->flags & GPU_CHAIN_WRITE_BACK) || !c->header_read)
        return;
    if (write_word(c, MALI_JOB_HEADER_FAULT_POINTER_OFFSET, 8, address, &ignored) &&
        write_word(c, MALI_JOB_HEADER_FIRST_INCOMPLETE_TASK_OFFSET, 4, 0, &ignored))
        write_word(c, MALI_JOB_HEADER_EXCEPTION_STATUS_OFFSET, 4, code, &ignored);
}

static void end_failed(struct gpu_chain *c, uint32_t code, uint64_t address)
{
    log_printf(c->env.log, LOG_GPU, "gpu: job %#" PRIx64 ": exception %#x at %#" PRIx64 "\n",
               c->current, code, address);
    write_failure(c, code, address);
    tell_end(c, code);
    /* a hard stop is not a failure */
    if (c->env.counters)
        c->env.counters->failed += code > MALI_EXCEPTION_MAX_NON_FAULT;
    end_chain(c, GPU_CHAIN_FAILED, code);
    c->end.address = address;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static void set_fault(struct gpu_chain *c, const struct gpu_fault *fault,
                      struct gpu_chain_outcome *out)
{
    out->progress = GPU_CHAIN_FAULT;
    out->fault = *fault;
    if (c->env.counters)
        c->env.counters->page_faults++;
}

/* Writes the status of the complete job at `current` to its header and selects the next header. */
static void finish_job(struct gpu_chain *c, struct gpu_chain_outcome *out)
{
    struct gpu_fault fault;

    c->phase = PHASE_STATUS;
    if (c->flags & GPU_CHAIN_WRITE_BACK &&
        !write_word(c, MALI_JOB_HEADER_EXCEPTION_STATUS_OFFSET, 4, MALI_EXCEPTION_DONE, &fault)) {
        set_fault(c, &fault, out);
        return;
    }
    tell_end(c, MALI_EXCEPTION_DONE);
    if (c->env.counters)
        c->env.counters->jobs[c->job.type % GPU_CHAIN_TYPES]++;
    if (!c->job.next) {
        end_chain(c, GPU_CHAIN_DONE, MALI_EXCEPTION_DONE);
        return;
    }
    c->current = c->job.next;
    c->phase = PHASE_FETCH;
}

static uint64_t read_clock(const struct gpu_chain *c, enum gpu_chain_clock which)
{
    return c->env.clock ? c->env.clock(c->env.opaque, which) : 0;
}

static void write_value(struct gpu_chain *c, struct gpu_chain_outcome *out)
{
    uint8_t raw[MALI_WRITE_VALUE_PAYLOAD_BYTES], bytes[8];
    struct mali_write_value_payload p;
    struct gpu_fault fault;
    unsigned size = 8;
    uint64_t value = 0;

    if (!gpu_memory_read(c->as, c->current + MALI_JOB_HEADER_BYTES, raw,
                         mali_write_value_payload_bytes(c->env.variant->architecture), &fault)) {
        set_fault(c, &fault, out);
        return;
    }
    if (mali_write_value_payload_unpack(c->env.variant->architecture, raw, &p)) {
        end_failed(c, MALI_EXCEPTION_DATA_INVALID_FAULT, c->current + MALI_JOB_HEADER_BYTES);
        return;
    }
    switch (p.type) {
    case MALI_WRITE_VALUE_TYPE_CYCLE_COUNTER:
        value = read_clock(c, GPU_CHAIN_CYCLE_COUNT);
        break;
    case MALI_WRITE_VALUE_TYPE_SYSTEM_TIMESTAMP:
        value = read_clock(c, GPU_CHAIN_TIMESTAMP);
        break;
    case MALI_WRITE_VALUE_TYPE_ZERO:
        break;
    case MALI_WRITE_VALUE_TYPE_IMMEDIATE_8:
    case MALI_WRITE_VALUE_TYPE_IMMEDIATE_16:
    case MALI_WRITE_VALUE_TYPE_IMMEDIATE_32:
    case MALI_WRITE_VALUE_TYPE_IMMEDIATE_64:
        value = p.immediate_value;
        size = 1u << (p.type - MALI_WRITE_VALUE_TYPE_IMMEDIATE_8);
        break;
    default:
        end_failed(c, MALI_EXCEPTION_DATA_INVALID_FAULT, c->current + MALI_JOB_HEADER_BYTES);
        return;
    }
    le_put(bytes, size, value);
    if (gpu_memory_write(c->as, p.address, bytes, size, &fault))
        finish_job(c, out);
    else
        set_fault(c, &fault, out);
}

/* Logs what the GPU cannot execute. */
static void log_refusal(const struct gpu_chain *c, const char *what)
{
    char owner[64] = "";

    if (c->env.owner)
        c->env.owner(c->env.opaque, owner, sizeof(owner));
    log_always(c->env.log,
               "gpu: %s cannot execute %s: the job at %#" PRIx64 "%s fails (this is said once)\n",
               c->env.variant->title, what, c->current, owner);
}

/* Takes over what the start or a step of the current job returned: cycles, fault or end. */
static void work_outcome(struct gpu_chain *c, const struct gpu_outcome *got,
                         struct gpu_chain_outcome *out)
{
    out->cycles += got->cycles;
    c->job.cycles += got->cycles;
    switch (got->progress) {
    case GPU_PROGRESS_MORE:
        break;
    case GPU_PROGRESS_DONE:
        end_work(c);
        finish_job(c, out);
        break;
    case GPU_PROGRESS_FAULT:
        set_fault(c, &got->fault, out);
        break;
    case GPU_PROGRESS_FAILED:
        if (got->refused && got->refused != c->refused)
            log_refusal(c, got->refused);
        c->refused = got->refused ? got->refused : c->refused;
        end_failed(c,
                   got->code < ARRAY_SIZE(error_codes) ? error_codes[got->code]
                                                       : MALI_EXCEPTION_UNKNOWN,
                   got->address);
        break;
    }
}

static void start_compute(struct gpu_chain *c, struct gpu_chain_outcome *out)
{
    struct gpu_outcome got = {.progress = GPU_PROGRESS_FAILED, .code = GPU_JOB_UNIMPLEMENTED};

    if (c->env.cores)
        c->work = gpu_compute_start(c->env.cores, c->as, c->current, &got);
    if (!c->work) {
        work_outcome(c, &got, out);
        return;
    }
    gpu_compute_shape(c->work, &c->job.shape);
    if (c->env.cores_of) {
        c->job.cores = c->env.cores_of(c->env.opaque, &c->job);
        gpu_compute_use(c->work, c->job.cores);
    }
    c->phase = PHASE_WORK;
}

static void end_unimplemented(struct gpu_chain *c)
{
    char what[32];

    snprintf(what, sizeof(what), "%s jobs", gpu_chain_type_name(c->job.type));
    if (!(c->logged >> c->job.type % 32 & 1))
        log_refusal(c, what);
    c->logged |= UINT32_C(1) << c->job.type % 32;
    end_failed(c, MALI_EXCEPTION_UNKNOWN, c->current);
}

static void step_compute(struct gpu_chain *c, struct gpu_chain_outcome *out)
{
    struct gpu_outcome got = {0};

    gpu_compute_step(c->work, &got);
    work_outcome(c, &got, out);
}

static void free_compute(void *work)
{
    gpu_compute_free(work);
}

static void shape_of_compute(const void *work, struct gpu_job_shape *out)
{
    gpu_compute_shape(work, out);
}

static void start_geometry(struct gpu_chain *c, enum gpu_geometry_kind kind,
                           struct gpu_chain_outcome *out)
{
    struct gpu_outcome got;

    c->work = gpu_geometry_start(c->env.cores, c->env.variant, c->as, c->current, kind, &got);
    if (c->work)
        c->phase = PHASE_WORK;
    else
        work_outcome(c, &got, out);
}

static void start_vertex(struct gpu_chain *c, struct gpu_chain_outcome *out)
{
    start_geometry(c, GPU_GEOMETRY_VERTEX, out);
}

static void start_tiler(struct gpu_chain *c, struct gpu_chain_outcome *out)
{
    start_geometry(c, GPU_GEOMETRY_TILER, out);
}

static void start_indexed_vertex(struct gpu_chain *c, struct gpu_chain_outcome *out)
{
    start_geometry(c, GPU_GEOMETRY_INDEXED_VERTEX, out);
}

static void step_geometry(struct gpu_chain *c, struct gpu_chain_outcome *out)
{
    struct gpu_outcome got = {0};

    gpu_geometry_step(c->work, &got);
    work_outcome(c, &got, out);
}

static void free_geometry(void *work)
{
    gpu_geometry_free(work);
}

static void start_fragment(struct gpu_chain *c, struct gpu_chain_outcome *out)
{
    struct gpu_outcome got;

    c->work = gpu_fragment_start(c->env.cores, c->env.variant, c->as, c->current, &got);
    if (c->work)
        c->phase = PHASE_WORK;
    else
        work_outcome(c, &got, out);
}

static void step_fragment(struct gpu_chain *c, struct gpu_chain_outcome *out)
{
    struct gpu_outcome got = {0};

    gpu_fragment_step(c->work, &got);
    work_outcome(c, &got, out);
}

static void free_fragment(void *work)
{
    gpu_fragment_free(work);
}

/* Ends the chain at a header that was never filled in. */
static void not_started(struct gpu_chain *c, struct gpu_chain_outcome *out)
{
    (void)out;
    end_failed(c, MALI_EXCEPTION_JOB_CONFIG_FAULT, c->current);
}

static void flush_caches(struct gpu_chain *c, struct gpu_chain_outcome *out)
{
    if (c->env.flush)
        c->env.flush(c->env.opaque);
    finish_job(c, out);
}

/* ---- kinds of jobs --------------------------------------------------------------------------- */

static const struct job_kind kinds[] = {
    [MALI_JOB_TYPE_NOT_STARTED] = {.name = "not started", .start = not_started},
    [MALI_JOB_TYPE_NULL] = {.name = "null", .start = finish_job},
    [MALI_JOB_TYPE_WRITE_VALUE] = {.name = "write value", .start = write_value},
    [MALI_JOB_TYPE_CACHE_FLUSH] = {.name = "cache flush", .start = flush_caches},
    [MALI_JOB_TYPE_COMPUTE] = {"compute", start_compute, step_compute, free_compute,
                               shape_of_compute},
    [MALI_JOB_TYPE_VERTEX] = {"vertex", start_vertex, step_geometry, free_geometry, NULL},
    [MALI_JOB_TYPE_GEOMETRY] = {.name = "geometry"},
    [MALI_JOB_TYPE_TILER] = {"tiler", start_tiler, step_geometry, free_geometry, NULL},
    [MALI_JOB_TYPE_FUSED] = {.name = "fused"},
    [MALI_JOB_TYPE_FRAGMENT] = {"fragment", start_fragment, step_fragment, free_fragment, NULL},
    [MALI_JOB_TYPE_INDEXED_VERTEX] = {"indexed vertex", start_indexed_vertex, step_geometry,
                                      free_geometry, NULL},
};

static const struct job_kind *kind_of(unsigned type)
{
    static const struct job_kind unknown = {.name = "unknown"};

    return type < ARRAY_SIZE(kinds) && kinds[type].name ? &kinds[type] : &unknown;
}

const char *gpu_chain_type_name(unsigned type)
{
    return kind_of(type)->name;
}

static void dispatch_job(struct gpu_chain *c, struct gpu_chain_outcome *out)
{
    const struct job_kind *kind = kind_of(c->job.type);

    if (kind->start)
        kind->start(c, out);
    else
        end_unimplemented(c);
}

/* Reads the header at `current`. false: the job does not start now. */
static bool fetch_job(struct gpu_chain *c, struct gpu_chain_outcome *out)
{
    uint8_t raw[MALI_JOB_HEADER_BYTES];
    struct mali_job_header h = {0};
    struct gpu_fault fault;
    const char *bad;

    if (!gpu_memory_read(c->as, c->current, raw, sizeof(raw), &fault)) {
        set_fault(c, &fault, out);
        return false;
    }
    bad = mali_job_header_unpack(c->env.variant->architecture, raw, &h);
    c->job = (struct gpu_chain_job){.address = c->current,
                                    .type = h.type,
                                    .index = h.index,
                                    .next = h.next,
                                    .cycles = c->job.cycles + JOB_CYCLES};
    c->jobs += !c->header_read;
    c->header_read = true;
    if (bad || (c->types && (h.type >= 32 || !(c->types >> h.type & 1)))) {
        log_printf(c->env.log, LOG_GPU, "gpu: job %#" PRIx64 ": bad %s\n", c->current,
                   bad ? bad : "type for this slot");
        end_failed(c, MALI_EXCEPTION_JOB_CONFIG_FAULT, c->current);
        return false;
    }
    return true;
}

static void start_job(struct gpu_chain *c, struct gpu_chain_outcome *out)
{
    out->cycles = JOB_CYCLES;
    if (!c->current)
        end_chain(c, GPU_CHAIN_DONE, MALI_EXCEPTION_DONE);
    else if (c->soft_stop && !c->header_read)
        end_stopped(c);
    else if (fetch_job(c, out))
        dispatch_job(c, out);
}

/* ---- the chain ------------------------------------------------------------------------------- */

void gpu_chain_start(struct gpu_chain *c, const struct gpu_address_space *as, uint64_t head,
                     uint32_t types, unsigned flags)
{
    end_work(c);
    c->as = as;
    c->current = head;
    c->types = types;
    c->flags = flags;
    c->phase = PHASE_FETCH;
    c->soft_stop = c->header_read = false;
    c->job = (struct gpu_chain_job){0};
    if (c->env.counters)
        c->env.counters->chains++;
}

void gpu_chain_step(struct gpu_chain *c, struct gpu_chain_outcome *out)
{
    uint64_t cycles;

    *out = (struct gpu_chain_outcome){.progress = GPU_CHAIN_MORE};
    switch (c->phase) {
    case PHASE_ENDED:
        break;
    case PHASE_FETCH:
        start_job(c, out);
        break;
    case PHASE_WORK:
        kind_of(c->job.type)->step(c, out);
        break;
    case PHASE_STATUS:
        finish_job(c, out);
        break;
    }
    cycles = out->cycles ? out->cycles : 1;
    if (c->env.counters)
        c->env.counters->cycles += cycles;
    if (c->phase == PHASE_ENDED)
        *out = c->end;
    out->cycles = cycles;
    out->tail = c->phase == PHASE_ENDED ? c->end.tail : c->current;
    out->between = !c->header_read;
}

static uint64_t subtract_to_zero(uint64_t from, uint64_t by)
{
    return from > by ? from - by : 0;
}

void gpu_chain_run(struct gpu_chain *c, const struct gpu_address_space *as, uint64_t head,
                   unsigned flags, struct gpu_chain_budget *budget, struct gpu_chain_outcome *out)
{
    gpu_chain_start(c, as, head, 0, flags);
    *out = (struct gpu_chain_outcome){.progress = GPU_CHAIN_MORE, .tail = head};
    while (out->progress == GPU_CHAIN_MORE && budget->cycles && (budget->jobs || c->header_read)) {
        uint64_t begun = c->jobs;

        gpu_chain_step(c, out);
        budget->jobs = subtract_to_zero(budget->jobs, c->jobs - begun);
        budget->cycles = subtract_to_zero(budget->cycles, out->cycles);
    }
    if (out->progress == GPU_CHAIN_FAULT)
        gpu_chain_cancel(c, out->fault.code);
    else if (out->progress == GPU_CHAIN_MORE)
        gpu_chain_cancel(c, MALI_EXCEPTION_TERMINATED);
}

void gpu_chain_soft_stop(struct gpu_chain *c)
{
    c->soft_stop = true;
}

void gpu_chain_cancel(struct gpu_chain *c, uint32_t code)
{
    if (c->phase == PHASE_ENDED)
        return;
    end_work(c);
    if (c->env.counters)
        c->env.counters->stopped += code <= MALI_EXCEPTION_MAX_NON_FAULT;
    end_failed(c, code, c->current);
}

bool gpu_chain_shape(const struct gpu_chain *c, struct gpu_job_shape *out)
{
    const struct job_kind *kind = kind_of(c->job.type);

    if (!c->work || !kind->shape)
        return false;
    kind->shape(c->work, out);
    return true;
}

uint64_t gpu_chain_cores(const struct gpu_chain *c)
{
    if (!c->work)
        return 0;
    return c->job.cores ? c->job.cores : c->env.variant->shader_present;
}

void gpu_chain_drop(struct gpu_chain *c)
{
    c->header_read = false;
    end_chain(c, GPU_CHAIN_STOPPED, MALI_EXCEPTION_STOPPED);
}

/* ---- in snapshots of a machine --------------------------------------------------------------- */

static const struct state_field chain_fields[] = {
    STATE_FIELD(struct gpu_chain, types),
    STATE_FIELD(struct gpu_chain, flags),
    STATE_FIELD(struct gpu_chain, phase),
    STATE_FIELD(struct gpu_chain, soft_stop),
    STATE_FIELD(struct gpu_chain, current),
    STATE_FIELD(struct gpu_chain, header_read),
    STATE_FIELD(struct gpu_chain, jobs),
    STATE_FIELD(struct gpu_chain, job),
    STATE_FIELD(struct gpu_chain, end),
    STATE_FIELD(struct gpu_chain, logged),
    STATE_END,
};

bool gpu_chain_can_save(const struct gpu_chain *c)
{
    return !c->work || (c->job.type == MALI_JOB_TYPE_COMPUTE && gpu_compute_can_save(c->work));
}

void gpu_chain_save(const struct gpu_chain *c, struct state_buf *buf)
{
    state_save(buf, "chain", chain_fields, c);
    if (c->work)
        gpu_compute_save(c->work, buf);
}

/* Makes loaded values sound: a file may hold any. */
static void settle_chain(struct gpu_chain *c)
{
    c->phase = (unsigned)c->phase > PHASE_STATUS ? PHASE_FETCH : c->phase;
    c->soft_stop = *(const uint8_t *)&c->soft_stop & 1;
    c->header_read = *(const uint8_t *)&c->header_read & 1;
    if ((unsigned)c->end.progress > GPU_CHAIN_FAILED || c->end.progress == GPU_CHAIN_MORE ||
        c->end.progress == GPU_CHAIN_FAULT)
        c->end.progress = GPU_CHAIN_FAILED;
}

bool gpu_chain_load(struct gpu_chain *c, const struct gpu_address_space *as,
                    const struct state_buf *buf, struct error *err)
{
    end_work(c);
    c->as = as;
    c->refused = NULL;
    if (!state_load(buf, "chain", chain_fields, c, err)) {
        gpu_chain_drop(c);
        return false;
    }
    settle_chain(c);
    if (c->phase != PHASE_WORK)
        return true;
    if (c->job.type == MALI_JOB_TYPE_COMPUTE && c->env.cores)
        c->work = gpu_compute_load(c->env.cores, as, buf, err);
    else
        error_set(err, "a job that is not a compute job cannot be loaded in its midst");
    if (!c->work)
        gpu_chain_drop(c);
    return c->work != NULL;
}
