/*
 * gencc-dap: a server of the Debug Adapter Protocol for the kernel of a snapshot, on descriptors.
 *
 *     server.c    messages, and when the job runs
 *     messages.c  events, and arguments of requests
 *     requests.c  the table of requests; those of going on
 *     launch.c    the snapshot, its run, its check
 *     lines.c     lines of OpenCL C beside bundles, from a report
 *     stops.c     breakpoints
 *     view.c      warps, variables, memory, code
 */
#ifndef PROGRAMS_GENCC_DAP_DAP_H
#define PROGRAMS_GENCC_DAP_DAP_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/vec.h"
#include "gencc/lsp/rpc.h"
#include "runtime/debug/debug.h"
#include "runtime/gpu/snapshot.h"

struct gpu_isa;
struct gpu_variant;

/* Lines of the source that a bundle is of, as far as they are known. */
struct dap_line {
    uint64_t offset; /* of the bundle in the shader */
    unsigned first, last;
    bool certain; /* false: by the order of accesses */
};

/* Breakpoints that one request replaces. */
enum dap_list { DAP_LINES, DAP_FUNCTIONS, DAP_INSTRUCTIONS, DAP_EXCEPTIONS, DAP_LISTS };

struct dap {
    struct rpc rpc;
    int64_t seq;
    struct gpu_snapshot *snapshot;
    const struct gpu_variant *variant;
    const struct gpu_isa *isa;
    struct gpu_cores *cores;
    struct gpu_debug *debug;
    char *source, *kernel; /* OpenCL C's path and the kernel's name, or NULL */
    VEC(struct dap_line) lines;
    VEC(unsigned) points[DAP_LISTS]; /* numbers of breakpoints */
    bool launched, configured, stop_on_entry, checks;
    bool stopped, resumed;              /* the job waits; a request lets it go on */
    bool pause, leave;                  /* a stop is requested; the client has gone */
    bool by_line;                       /* a step ends at another line */
    unsigned step_line;                 /* the line of the step's start; 0: not known */
    bool (*answer_next)(struct dap *d); /* waits for a message; false: there are no more */
    void (*end)(struct dap *d);         /* ends the program although a job runs */
};

/* ---- server.c -------------------------------------------------------------------------------- */

/* Serves the descriptors until the client leaves. `end` is called if it does so while a job runs;
 * NULL: the job is run to its end. */
void dap_serve(int in, int out, void (*end)(struct dap *d));

/* ---- requests.c ------------------------------------------------------------------------------ */

/* Carries a request out. Returns its answer's body, NULL if there is none; *err has why it
 * failed, else is empty. */
json_t *dap_request(struct dap *d, const char *command, const json_t *arguments, struct error *err);

/* ---- messages.c ------------------------------------------------------------------------------ */

/* Sends an event, whose body is released. */
void dap_event(struct dap *d, const char *name, json_t *body);
/* Texts and numbers of arguments; the default where they are missing or of another type. */
const char *dap_text(const json_t *arguments, const char *name);
int64_t dap_number(const json_t *arguments, const char *name, int64_t otherwise);
/* The warp of a request's `name`; false: *err says that there is none. */
bool dap_warp(struct dap *d, const json_t *arguments, const char *name, struct gpu_debug_warp *w,
              struct error *err);

/* ---- launch.c -------------------------------------------------------------------------------- */

json_t *dap_launch(struct dap *d, const json_t *arguments, struct error *err);
/* Runs the snapshot's jobs to their end; stops answer requests meanwhile. Returns the status. */
int dap_run(struct dap *d);
void dap_release(struct dap *d);

/* ---- lines.c --------------------------------------------------------------------------------- */

/* Finds the lines by a report of a run of its own. */
void dap_find_lines(struct dap *d, const char *snapshot, const char *gpu);
/* The line of a bundle; NULL: not known. */
const struct dap_line *dap_line_at(const struct dap *d, uint64_t pc);

/* ---- stops.c --------------------------------------------------------------------------------- */

json_t *dap_set_breakpoints(struct dap *d, enum dap_list list, const json_t *arguments,
                            struct error *err);

/* ---- view.c ---------------------------------------------------------------------------------- */

typedef json_t *dap_view(struct dap *d, const json_t *arguments, struct error *err);
dap_view dap_threads, dap_stack, dap_scopes, dap_variables, dap_set_variable, dap_read_memory,
    dap_write_memory, dap_disassemble, dap_evaluate;

#endif
