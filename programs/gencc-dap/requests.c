/* The requests of the protocol. */
#include <stdlib.h>
#include <string.h>

#include "programs/gencc-dap/dap.h"
#include "runtime/base/bits.h"

/* ---- life ------------------------------------------------------------------------------------ */

static json_t *initialize(struct dap *d, const json_t *arguments, struct error *err)
{
    static const char *const abilities[] = {
        "supportsConfigurationDoneRequest",
        "supportsFunctionBreakpoints",
        "supportsConditionalBreakpoints",
        "supportsInstructionBreakpoints",
        "supportsSetVariable",
        "supportsReadMemoryRequest",
        "supportsWriteMemoryRequest",
        "supportsDisassembleRequest",
        "supportsSteppingGranularity",
        "supportsEvaluateForHovers",
        "supportsTerminateRequest",
    };
    static const struct {
        const char *filter, *label;
    } filters[] = {
        {"fault", "Fault: an access without memory, or what cannot be executed"},
        {"divergence", "Divergence: lanes of a warp part"},
        {"nan", "NaN: an operation makes one"},
        {"race", "Race of two work-items"},
        {"uninitialised", "Read of what nobody wrote"},
    };
    json_t *body = json_object(), *list = json_array();

    (void)d, (void)arguments, (void)err;
    for (size_t i = 0; i < ARRAY_SIZE(abilities); i++)
        json_object_set_new(body, abilities[i], json_true());
    for (size_t i = 0; i < ARRAY_SIZE(filters); i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:b}", "filter", filters[i].filter,
                                              "label", filters[i].label, "default", !i));
    json_object_set_new(body, "exceptionBreakpointFilters", list);
    return body;
}

static json_t *configuration_done(struct dap *d, const json_t *arguments, struct error *err)
{
    (void)arguments;
    if (!d->launched)
        error_set(err, "nothing is launched");
    d->configured = d->launched && !d->cores;
    return NULL;
}

static json_t *disconnect(struct dap *d, const json_t *arguments, struct error *err)
{
    (void)arguments, (void)err;
    d->leave = true;
    return NULL;
}

/* The job runs to its end without stops, unless the program ends. */
static json_t *terminate(struct dap *d, const json_t *arguments, struct error *err)
{
    (void)arguments, (void)err;
    if (d->stopped) {
        gpu_debug_leave(d->debug);
        d->resumed = true;
    } else {
        dap_event(d, "terminated", NULL);
    }
    return NULL;
}

/* ---- going on -------------------------------------------------------------------------------- */

static json_t *resume(struct dap *d, const json_t *arguments, struct error *err)
{
    (void)arguments;
    if (!d->stopped) {
        error_set(err, "the job does not wait");
        return NULL;
    }
    gpu_debug_go(d->debug, GPU_DEBUG_RUN);
    d->resumed = true;
    return json_pack("{s:b}", "allThreadsContinued", true);
}

static json_t *step(struct dap *d, const json_t *arguments, bool into, struct error *err)
{
    const char *granularity = dap_text(arguments, "granularity");
    bool by_instruction = granularity && !strcmp(granularity, "instruction");
    const struct gpu_debug_stop *stop;
    const struct dap_line *line;
    struct gpu_debug_warp w;

    if (!dap_warp(d, arguments, "threadId", &w, err))
        return NULL;
    stop = gpu_debug_last_stop(d->debug);
    if (stop->thread != w.thread)
        gpu_debug_select(d->debug, w.thread, (unsigned)__builtin_ctz(w.active ? w.active : w.live));
    line = dap_line_at(d, w.pc);
    d->by_line = !by_instruction && d->lines.len;
    d->step_line = line ? line->first : 0;
    gpu_debug_go(d->debug, into && by_instruction ? GPU_DEBUG_BY_STAGE : GPU_DEBUG_BY_BUNDLE);
    d->resumed = true;
    return NULL;
}

static json_t *next(struct dap *d, const json_t *arguments, struct error *err)
{
    return step(d, arguments, false, err);
}

static json_t *step_in(struct dap *d, const json_t *arguments, struct error *err)
{
    return step(d, arguments, true, err);
}

static json_t *step_out(struct dap *d, const json_t *arguments, struct error *err)
{
    struct gpu_debug_warp w;

    if (!dap_warp(d, arguments, "threadId", &w, err))
        return NULL;
    gpu_debug_select(d->debug, w.thread, (unsigned)__builtin_ctz(w.live));
    gpu_debug_go(d->debug, GPU_DEBUG_OUT);
    d->resumed = true;
    return NULL;
}

static json_t *pause_job(struct dap *d, const json_t *arguments, struct error *err)
{
    (void)arguments, (void)err;
    d->pause = true;
    return NULL;
}

/* ---- the table ------------------------------------------------------------------------------- */

#define BREAKPOINTS(name, list)                                                    \
    static json_t *name(struct dap *d, const json_t *arguments, struct error *err) \
    {                                                                              \
        return dap_set_breakpoints(d, list, arguments, err);                       \
    }
BREAKPOINTS(set_lines, DAP_LINES)
BREAKPOINTS(set_functions, DAP_FUNCTIONS)
BREAKPOINTS(set_instructions, DAP_INSTRUCTIONS)
BREAKPOINTS(set_exceptions, DAP_EXCEPTIONS)

json_t *dap_request(struct dap *d, const char *command, const json_t *arguments, struct error *err)
{
    static const struct {
        const char *command;
        dap_view *run;
    } requests[] = {
        {"initialize", initialize},
        {"launch", dap_launch},
        {"configurationDone", configuration_done},
        {"disconnect", disconnect},
        {"terminate", terminate},
        {"setBreakpoints", set_lines},
        {"setFunctionBreakpoints", set_functions},
        {"setInstructionBreakpoints", set_instructions},
        {"setExceptionBreakpoints", set_exceptions},
        {"threads", dap_threads},
        {"stackTrace", dap_stack},
        {"scopes", dap_scopes},
        {"variables", dap_variables},
        {"setVariable", dap_set_variable},
        {"readMemory", dap_read_memory},
        {"writeMemory", dap_write_memory},
        {"disassemble", dap_disassemble},
        {"evaluate", dap_evaluate},
        {"continue", resume},
        {"next", next},
        {"stepIn", step_in},
        {"stepOut", step_out},
        {"pause", pause_job},
    };

    for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
        if (!strcmp(requests[i].command, command))
            return requests[i].run(d, arguments, err);
    error_set(err, "there is no request %.60s", command);
    return NULL;
}
