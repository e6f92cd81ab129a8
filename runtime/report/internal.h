/*
 * Internals of reports.
 *
 *     report.c   options, jobs, and the kernels to which they belong
 *     kernel.c   a kernel's bundles and edges, summed over its jobs
 *     time.c     time, by the model
 *     energy.c   energy, from exact counts and the model's time
 *     pointers.c which uniforms are pointers to buffers
 *     signature.c  kernels of the source, and which of their parameters these buffers are
 *     found.c    sources that were found in the guest's memory
 *     accesses.c what the traced work-groups accessed
 *     reuse.c    distances between two uses of a line
 *     blocks.c   the control flow as blocks and edges
 *     paths.c    the cost of paths
 *     text.c     figures that only the text of bundles has
 *     registers.c  threads per core by registers, and Mesa's line of figures
 *     order.c    kernels by cycles
 *     json.c     report.json          csv.c   tables
 *     draws.c    draws.csv and frames.csv, and the frames of report.json
 *     overdraw.c pictures of overdraw    frame_image.c  images of frames
 *     page.c     gencc-report
 */
#ifndef RUNTIME_REPORT_INTERNAL_H
#define RUNTIME_REPORT_INTERNAL_H

#include <jansson.h>
#include <stdio.h>

#include "common/vec.h"
#include "runtime/gpu/account.h"
#include "runtime/gpu/shader/core.h"
#include "runtime/gpu/walk.h"
#include "runtime/report/report.h"
#include "runtime/timing/trace.h"

/* ---- a kernel -------------------------------------------------------------------------------- */

/* Places in a kernel are bytes from its start. In place of them: */
#define REPORT_START GPU_WAY_START
#define REPORT_END   GPU_WAY_END

enum { REPORT_NO_BLOCK = UINT32_MAX };

struct report_bundle {
    uint64_t place;
    uint32_t bytes;
    char *text;   /* NULL: not known */
    bool texture; /* sends a message to the texture pipe */
    bool ends;    /* lanes that do not branch end */
    bool always;  /* contains a branch that is always taken */
    unsigned target_count;
    uint64_t target[GPU_WALK_TARGETS]; /* places to which its branches lead */
    struct gpu_profile profile;
    struct gpu_bundle_count count;
    uint64_t divergent;
    uint64_t account[TIMING_CAUSES]; /* ticks of engines, of all groups */
    uint32_t block;
};

/* Executions that went from the bundle at `from` to that at `to`. */
struct report_way {
    uint64_t from, to;
    struct gpu_bundle_count count;
    uint64_t divergent;
};

struct report_block {
    unsigned first, count; /* bundles */
    unsigned depth;        /* loops around it */
};

enum report_edge_kind { REPORT_FALL, REPORT_BRANCH, REPORT_INDIRECT };

struct report_edge {
    uint32_t from, to; /* blocks; NO_BLOCK: the start, or the end */
    enum report_edge_kind kind;
    struct gpu_bundle_count count;
    uint64_t divergent;
};

/* Control flow. */
struct report_flow {
    VEC(struct report_block) blocks;
    VEC(struct report_edge) edges;
};

/* Cycles of a thread in each pipe of a core, and the bundles. */
struct report_path {
    bool known;
    double arithmetic, load_store, texture, bundles;
};

struct report_paths {
    struct report_path shortest, longest, measured;
    const char *bound; /* NULL: not known */
};

/* The model's result, summed over jobs; counts are those of all groups. */
struct report_time {
    unsigned jobs;
    uint64_t ticks, account[TIMING_CAUSES];
    uint64_t energy; /* pJ */
    uint64_t requests, l1_hits, l1_misses, l2_hits, l2_misses;
    uint64_t l2_reads, l2_writes, dram_reads, dram_writes;
    double error; /* estimated error of `ticks`, because the model ran a part only */
    /* lower bound of the fraction of the jobs' bundles that the model ran */
    double simulated_fraction;
    uint64_t groups_per_traced; /* groups for which one traced group stands, at most */
};

/* The time model runs REPORT_LEAST_BUNDLES executions of bundles by warps, or 1 / REPORT_SHARE of a
 * job's if these are more. It therefore takes no longer than the job itself. */
enum { REPORT_LEAST_BUNDLES = 150000, REPORT_SHARE = 150 };

enum { REPORT_PARTS = 32, REPORT_CORES = 64 };

/* Use of one core by the traced groups, in the time model. */
struct report_core {
    uint64_t groups, warps, warp_ticks;
};

/* Resident warps of the cores, in the time model. */
struct report_residency {
    uint64_t warp_ticks, core_ticks; /* warp_ticks / core_ticks: mean warps per core */
    uint64_t job_ticks; /* time of the longest job, which the next two members describe */
    uint64_t part_warp_ticks[REPORT_PARTS]; /* warp_ticks per equal part of the job's time */
    uint64_t part_ticks;                    /* core_ticks per part; 0: there was no job */
    struct report_core core[REPORT_CORES];  /* sums over all jobs */
};

enum { REPORT_STRIDES = 8, REPORT_NO_POINTER = UINT32_MAX };

enum report_shape {
    REPORT_SAME,
    REPORT_UNIT,
    REPORT_STRIDE,
    REPORT_BLOCKS,
    REPORT_LIST,
    REPORT_SHAPES
};

struct report_stride {
    int64_t bytes;
    uint64_t count;
};

/* Accesses of one kind by a bundle, to one buffer. */
struct report_access {
    uint64_t place;
    enum timing_access kind;
    uint32_t bytes, pointer;
    uint64_t executions, lanes, lines, groups;
    uint64_t by_lines[TIMING_ROW_LANES]; /* executions that touched n + 1 lines */
    uint64_t shapes[REPORT_SHAPES];
    VEC(struct report_stride) strides;
};

/* A buffer to which a pointer among the uniforms leads. */
struct report_buffer {
    uint32_t pointer;
    uint64_t address, bytes; /* in the first job; bytes: up to the last accessed byte */
    uint64_t reads, writes, bytes_read, bytes_written, lines, pages;
};

enum { REPORT_POINTERS = 64 };

/* A kernel parameter that is a buffer. */
struct report_parameter {
    uint32_t index; /* position among all parameters, from 0 */
    bool constant;
    char name[64];
};

enum { REPORT_DISTANCES = 32 };

/* Distinct names. */
struct report_names {
    char **data;
    unsigned len, cap;
};

/* Source that was found in the memory of the program that runs the kernel. */
struct report_found {
    unsigned tries;                       /* searches for this kernel */
    VEC(unsigned) texts;                  /* those of this program: indices into report.texts */
    struct report_names kernels, fitting; /* of these texts; those that fit the code */
};

struct report_reuse {
    uint64_t first_uses, by_distance[REPORT_DISTANCES];
};

struct report_kernel {
    unsigned number;       /* by decreasing cycles; report_number_kernels() */
    uint64_t hash, shader; /* `shader`: address in the first job */
    char *name;            /* NULL: none */
    const char *source;    /* text of its source; NULL: none */
    const char *source_name;
    struct report_found found;
    struct gpu_shader_summary summary;
    uint32_t size[3]; /* threads of a work-group in the first job */
    uint32_t uniforms;
    uint32_t registers; /* work registers that threads get; 0: all */
    struct gpu_counters sum;
    uint64_t rows;                     /* warps, or rows where threads are scalar */
    VEC(struct report_bundle) bundles; /* by place */
    VEC(struct report_way) ways;       /* by `from`, then `to` */
    struct report_flow flow;           /* report_flow_make() */
    struct report_paths paths;
    struct report_time time;
    struct report_residency residency;
    VEC(struct report_access) accesses;
    VEC(struct report_buffer) buffers;
    unsigned pointer_count; /* pointers found in the first job */
    /* Indexed by the pointer's number; set by report_parameters_make(). */
    unsigned parameter_count;
    struct report_parameter parameters[REPORT_POINTERS];
    struct report_reuse reuse;
};

/* Adds a job to its kernel; its bundles are walked when it is the first. */
void report_kernel_add(struct report_kernel *k, const struct gpu_account *a);
/* The bundle at a place; NULL: none. */
struct report_bundle *report_kernel_bundle(struct report_kernel *k, uint64_t place);
void report_kernel_release(struct report_kernel *k);

/* Reads the buffer parameters of a kernel from OpenCL C, at most REPORT_POINTERS. Without a name,
 * the source must have exactly one kernel. Returns their number. */
unsigned report_parameters(const char *source, const char *name, struct report_parameter *out);
typedef char report_kernel_name[64];
/* Reads the names of the kernels in OpenCL C, at most `most`. Returns their number. */
unsigned report_kernels(const char *source, report_kernel_name *names, unsigned most);
/* Whether a kernel of the source may be the code: it has as many buffers as the code has pointers,
 * its body has a barrier if the code has one, and no buffer was written that it only reads. */
bool report_source_fits(const struct report_kernel *k, const char *source, const char *name);
/* Whether OpenCL C has a kernel of that name. */
bool report_source_has(const char *source, const char *name);
/* Assigns an argument of the source to each pointer. They stay unassigned if the source has another
 * number of buffer parameters, or if a buffer that it declares constant was written. */
void report_parameters_make(struct report_kernel *k);

/* Divides the kernel into blocks with edges, and finds paths. */
void report_flow_make(struct report_kernel *k);
void report_paths_make(struct report_kernel *k, const struct gpu_variant *v);

/* ---- a job ----------------------------------------------------------------------------------- */

/* A pointer among the uniforms of a job, the n-th one from 0 on. */
struct report_pointer {
    uint64_t address;
    uint32_t pointer;
};

/* A job that has begun and not ended. */
struct report_open {
    uint64_t header, begin_ns;
    struct report_pointer pointers[REPORT_POINTERS]; /* by address */
    unsigned pointer_count;
    bool timed; /* the job was traced, and the members below are valid */
    uint64_t shader;
    struct timing_result result;
    struct report_residency residency;
    double groups_for_one;     /* groups of the job per traced group */
    struct timing_line *lines; /* by bundle */
    struct timing_bundle *bundles;
    size_t bundle_count;
    struct report_accesses *accesses;
};

struct report_job {
    unsigned kernel;
    uint64_t header;
    uint32_t groups[3], size[3];
    struct gpu_counters counters;
    bool timed, clocked;
    uint64_t ticks, begin_ns, end_ns;
};

struct report_source {
    char *name, *text;
};

struct report {
    struct report_options options;
    const struct gpu_variant *variant;
    const struct gpu_isa *isa;
    struct timing_params params;
    struct timing_shape shape;
    VEC(char *) words; /* as given on the command line */
    VEC(struct report_source) sources;
    VEC(char *) texts; /* distinct texts with kernels, from the guest's memory (found.c) */
    unsigned searches;
    VEC(struct report_kernel *) kernels;
    size_t last_kernel;
    struct gpu_counters total;
    VEC(struct report_job) jobs; /* the first MAX_JOBS jobs (report.c) */
    VEC(struct report_open *) open;
    bool sampled;
    char *default_name; /* name for kernels that have none; NULL: none */
    uint64_t (*now)(void *opaque);
    void *now_opaque;
    const char *(*name)(void *opaque, const struct gpu_account *job);
    void *name_opaque;
    report_find_texts *find_texts; /* NULL: there is no guest */
    void *find_opaque;
    json_t *system;
    struct report_draws *draws; /* NULL: not attached */
};

/* ---- sources in memory ----------------------------------------------------------------------- */

/* Searches for the source of a kernel, of which a job has ended. */
void report_found_search(struct report *r, struct report_kernel *k, const struct gpu_account *job);
/* Gives a kernel the source and the name of the only kernel found that fits. */
void report_found_choose(const struct report *r, struct report_kernel *k);
void report_found_release(struct report_found *f);

/* ---- time and accesses ----------------------------------------------------------------------- */

/* Finds the pointers of a job. */
void report_pointers_find(struct report_open *o, const struct gpu_compute_job *job,
                          const struct gpu_address_space *as);
/* Predicts the time of a traced job and keeps what it accessed. */
void report_time_job(const struct report *r, struct report_open *o, const struct timing_job *job);
/* The energy of a job in pJ at the GPU's own operating point with all cores on. */
uint64_t report_energy(const struct report *r, const struct timing_result *t,
                       const struct gpu_account *a);
/* Adds the time of a traced job to its kernel. */
void report_time_add(struct report_kernel *k, const struct report_open *o);

/* The accesses of a job's traced groups. */
struct report_accesses *report_accesses_of(const struct report_open *o,
                                           const struct timing_job *job, uint64_t line_bytes);
void report_accesses_free(struct report_accesses *a);
/* Adds them to the kernel. */
void report_accesses_add(struct report_kernel *k, struct report_accesses *a);

/* Distances between uses of lines. */
struct report_reuser;
/* Without uses; to be freed with report_reuser_free(). */
struct report_reuser *report_reuser_new(void);
/* Notes a use of a line. Without effect after a bounded number of uses. */
void report_reuser_touch(struct report_reuser *u, uint64_t line);
const struct report_reuse *report_reuser_result(const struct report_reuser *u);
void report_reuser_free(struct report_reuser *u);

/* ---- text ------------------------------------------------------------------------------------ */

/* Figures that only the text of bundles has: accesses to memory of the thread, and the share of
 * arithmetic on halves of registers. */
struct report_code_text {
    unsigned spills, fills;
    double half_percent;
};
/* Reads the figures from the texts of the kernel's bundles. */
struct report_code_text report_code_text(const struct report_kernel *k);
/* Whether the head of a bundle, its first line, says that its message is one to the texture
 * pipe. */
bool report_is_texture(const char *text);

/* ---- files ----------------------------------------------------------------------------------- */

/* Threads of a core that have at most register_limit work registers each. */
struct report_registers {
    unsigned register_limit, threads;
};
enum { REPORT_REGISTER_ROWS = 8 };
/* Writes rows from the fewest registers on, at most REPORT_REGISTER_ROWS; returns their number. */
unsigned report_registers(const struct report *r, struct report_registers *rows);
/* Threads of a core for a kernel; 0: not known. */
unsigned report_threads(const struct report *r, const struct report_kernel *k);

/* Mesa's shader-db line. */
enum { REPORT_LINE = GPU_SHADER_LINE + 128 };
void report_line(const struct report *r, const struct report_kernel *k,
                 const struct report_code_text *text, char *line);

/* Numbers kernels by decreasing cycles; equal ones in the order in which they ran. */
void report_number_kernels(struct report *r);
/* The kernels by `number`; the caller frees the array. */
struct report_kernel **report_sorted(const struct report *r);
bool report_write_json(const struct report *r, FILE *out);
bool report_write_kernels(const struct report *r, FILE *out);
bool report_write_bundles(const struct report *r, FILE *out);
bool report_write_jobs(const struct report *r, FILE *out);

/* ---- draws ----------------------------------------------------------------------------------- */

/* Frames with draws and overdraw in report.json, the first ones. */
enum { REPORT_FRAMES = 64 };

/* Watches what the cores draw; they must end before it is freed. Pictures go to the folder, whose
 * name must stay valid. */
struct report_draws *report_draws_new(const char *folder, struct gpu_cores *c);
void report_draws_free(struct report_draws *d);
/* Whether all pictures could be written. */
bool report_draws_good(const struct report_draws *d, struct error *err);
bool report_write_draws(const struct report *r, FILE *out);
bool report_write_frames(const struct report *r, FILE *out);
/* Number of frames that are kept. */
unsigned report_frame_count(const struct report *r);
/* A frame with its draws, as report.json has it; `number` is below report_frame_count(). */
json_t *report_frame_json(const struct report *r, unsigned number);

/* Writes pictures of overdraw to the folder, whose name must stay valid. Those of an earlier report
 * are removed from it. */
struct report_overdraw;
struct report_overdraw *report_overdraw_new(const char *folder);
void report_overdraw_free(struct report_overdraw *o);
/* Takes a part of the frame with that number. Returns whether a picture was written, which the
 * frame's last part does if a fragment was shaded. */
struct gpu_frame_note;
bool report_overdraw_take(struct report_overdraw *o, const struct gpu_frame_note *n,
                          unsigned frame);
/* Whether all pictures could be written. */
bool report_overdraw_good(const struct report_overdraw *o, struct error *err);

#endif
