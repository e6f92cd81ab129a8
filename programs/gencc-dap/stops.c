/* Breakpoints: in lines, at bundles, in kernels, on what goes wrong. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/gencc-dap/dap.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/isa.h"

static void clear_list(struct dap *d, enum dap_list list)
{
    vec_for_each (&d->points[list], number)
        gpu_debug_delete(d->debug, *number);
    d->points[list].len = 0;
}

/* Adds a breakpoint of the request; *err has why it cannot be. */
static unsigned add(struct dap *d, enum dap_list list, const struct gpu_debug_point *p,
                    const json_t *asked, struct error *err)
{
    struct gpu_debug_point point = *p;
    unsigned number;

    point.condition = dap_text(asked, "condition");
    if (point.condition && !*point.condition)
        point.condition = NULL;
    number = gpu_debug_break(d->debug, &point, err);
    if (number)
        vec_push(&d->points[list], number);
    return number;
}

static json_t *answer(unsigned number, const char *message)
{
    json_t *out = json_pack("{s:b}", "verified", number != 0);

    if (number)
        json_object_set_new(out, "id", json_integer(number));
    if (message && *message)
        json_object_set_new(out, "message", json_string(message));
    return out;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* The known line at or behind the one that was asked for; NULL: none. */
static const struct dap_line *line_from(const struct dap *d, int64_t wanted)
{
    const struct dap_line *best = NULL;

    vec_for_each (&d->lines, line)
        if (line->last >= wanted && (!best || line->first < best->first ||
                                     (line->first == best->first && line->offset < best->offset)))
            best = line;
    return best;
}

static bool is_source(const struct dap *d, const json_t *arguments)
{
    const char *path = dap_text(json_object_get(arguments, "source"), "path");
    char *asked = path ? realpath(path, NULL) : NULL;
    char *mine = d->source ? realpath(d->source, NULL) : NULL;
    bool same = asked && mine && !strcmp(asked, mine);

    free(asked);
    free(mine);
    return same;
}

static json_t *break_at_line(struct dap *d, const json_t *asked, bool known)
{
    const struct dap_line *line = known ? line_from(d, dap_number(asked, "line", 1)) : NULL;
    struct error err = {""};
    struct gpu_debug_point p = {.kind = GPU_DEBUG_AT_BUNDLE};
    json_t *out;
    unsigned number;

    if (!line)
        return answer(0, "no code is known for this line or the lines behind it");
    p.address = line->offset / d->isa->grain_bytes;
    number = add(d, DAP_LINES, &p, asked, &err);
    out = answer(number, number ? line->certain ? "" : "by the order of accesses" : err.text);
    json_object_set_new(out, "line", json_integer(line->first));
    return out;
}

/* ---- other places ---------------------------------------------------------------------------- */

static json_t *break_in_function(struct dap *d, const json_t *asked)
{
    struct error err = {""};
    struct gpu_debug_point p = {.kind = GPU_DEBUG_AT_KERNEL, .kernel = dap_text(asked, "name")};

    if (p.kernel && (!d->kernel || strcmp(p.kernel, d->kernel) != 0))
        return answer(0, "the launched snapshot is of another kernel");
    return answer(add(d, DAP_FUNCTIONS, &p, asked, &err), err.text);
}

static json_t *break_at_instruction(struct dap *d, const json_t *asked)
{
    const char *reference = dap_text(asked, "instructionReference");
    struct error err = {""};
    struct gpu_debug_point p = {.kind = GPU_DEBUG_AT_ADDRESS};

    if (!reference)
        return answer(0, "there is no instructionReference");
    p.address = strtoull(reference, NULL, 0) + (uint64_t)dap_number(asked, "offset", 0);
    return answer(add(d, DAP_INSTRUCTIONS, &p, asked, &err), err.text);
}

static json_t *break_on_exceptions(struct dap *d, const json_t *arguments, struct error *err)
{
    static const struct {
        const char *filter;
        enum gpu_debug_kind kind;
    } filters[] = {
        {"fault", GPU_DEBUG_AT_FAULT},
        {"divergence", GPU_DEBUG_AT_DIVERGENCE},
        {"nan", GPU_DEBUG_AT_NAN},
        {"race", GPU_DEBUG_AT_RACE},
        {"uninitialised", GPU_DEBUG_AT_UNWRITTEN},
    };
    json_t *list = json_array(), *filter;
    size_t n;

    json_array_foreach(json_object_get(arguments, "filters"), n, filter)
    {
        const char *name = json_string_value(filter);
        unsigned number = 0;

        for (size_t i = 0; name && i < ARRAY_SIZE(filters); i++)
            if (!strcmp(filters[i].filter, name))
                number = add(d, DAP_EXCEPTIONS, &(struct gpu_debug_point){.kind = filters[i].kind},
                             NULL, err);
        json_array_append_new(list, answer(number, number ? "" : "this is not known"));
    }
    return json_pack("{s:o}", "breakpoints", list);
}

json_t *dap_set_breakpoints(struct dap *d, enum dap_list list, const json_t *arguments,
                            struct error *err)
{
    json_t *out, *asked;
    bool known = list == DAP_LINES && is_source(d, arguments);
    size_t n;

    if (!d->debug) {
        error_set(err, "nothing is launched");
        return NULL;
    }
    if (list != DAP_LINES || known)
        clear_list(d, list);
    if (list == DAP_EXCEPTIONS)
        return break_on_exceptions(d, arguments, err);
    out = json_array();
    json_array_foreach(json_object_get(arguments, "breakpoints"), n, asked)
        json_array_append_new(out, list == DAP_LINES       ? break_at_line(d, asked, known)
                                   : list == DAP_FUNCTIONS ? break_in_function(d, asked)
                                                           : break_at_instruction(d, asked));
    return json_pack("{s:o}", "breakpoints", out);
}
