/* Command line options of translation, for builds with and without it. */
#include <stdio.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/base/values.h"
#include "runtime/jit/jit.h"

enum {
    THRESHOLD = 3000,
    THREADS = 1,
    BUDGET_MB = 128,
    MAX_THREADS = 64,
    MAX_BUDGET_MB = 65536,
};

struct jit_options jit_defaults(void)
{
    return (struct jit_options){.enabled = jit_available(),
                                .tier = JIT_TIER_QUICK,
                                .threshold = THRESHOLD,
                                .threads = THREADS,
                                .budget = (size_t)BUDGET_MB << 20};
}

bool jit_open(struct jit **out, struct code_cache *code, struct log *log,
              const struct jit_options *o, struct error *err)
{
    struct error why;

    *out = NULL;
    if (!o->enabled)
        return true;
    *out = jit_new(code, log, o, &why);
    if (*out)
        return true;
    if (!o->jit_required && !*o->cache) {
        fprintf(stderr, "warning: guest code is interpreted: %s\n", why.text);
        return true;
    }
    *err = why;
    return false;
}

static bool parse_number(const char *name, const char *value, uint64_t max, uint64_t *out,
                         struct error *err)
{
    char what[64];

    snprintf(what, sizeof(what), "-%s", name);
    return value_number(value, what, 1, max, out, err);
}

static bool set_accel(struct jit_options *o, const char *value, struct error *err)
{
    if (strcmp(value, "jit") && strcmp(value, "interp"))
        return error_set(err, "-accel is interp or jit, not '%s'", value);
    o->enabled = o->jit_required = !strcmp(value, "jit");
    if (o->enabled && !jit_available())
        return error_set(err, "-accel jit: this program was built without translation");
    return true;
}

const char *const jit_tier_names[3] = {"both", "quick", "llvm"};

static bool set_tier(struct jit_options *o, const char *value, struct error *err)
{
    for (unsigned n = 0; n < ARRAY_SIZE(jit_tier_names); n++) {
        if (strcmp(value, jit_tier_names[n]))
            continue;
        o->tier = (enum jit_tier)n;
        if (o->tier == JIT_TIER_LLVM && !jit_has_llvm())
            return error_set(err, "-jit-tier llvm: this program was built without LLVM");
        return true;
    }
    return error_set(err, "-jit-tier is quick, llvm or both, not '%s'", value);
}

static bool set_cache(struct jit_options *o, const char *value, struct error *err)
{
    if (strlen(value) >= sizeof(o->cache))
        return error_set(err, "-jit-cache: a folder's path has at most %d bytes",
                         JIT_CACHE_MAX - 1);
    strcpy(o->cache, value);
    return true;
}

/* The flag of an option without a value. */
static bool *flag_of(struct jit_options *o, const char *name)
{
    return !strcmp(name, "jit-sync")       ? &o->sync
           : !strcmp(name, "jit-handlers") ? &o->handlers
           : !strcmp(name, "jit-base")     ? &o->base
           : !strcmp(name, "jit-perf-map") ? &o->perf_map
           : !strcmp(name, "jit-dump")     ? &o->dump
                                           : NULL;
}

bool jit_option(struct jit_options *o, const char *name, const char *value, struct error *err)
{
    uint64_t n = 0;

    if (!value) {
        *flag_of(o, name) = true;
        return true;
    }
    if (!strcmp(name, "accel"))
        return set_accel(o, value, err);
    if (!strcmp(name, "jit-tier"))
        return set_tier(o, value, err);
    if (!strcmp(name, "jit-cache"))
        return set_cache(o, value, err);
    if (!strcmp(name, "jit-quick-threshold")) {
        if (!parse_number(name, value, UINT32_MAX, &n, err))
            return false;
        o->quick_threshold = (unsigned)n;
    } else if (!strcmp(name, "jit-threshold")) {
        if (!parse_number(name, value, UINT32_MAX, &n, err))
            return false;
        o->threshold = (unsigned)n;
    } else if (!strcmp(name, "jit-threads")) {
        if (!parse_number(name, value, MAX_THREADS, &n, err))
            return false;
        o->threads = (unsigned)n;
    } else {
        if (!parse_number(name, value, MAX_BUDGET_MB, &n, err))
            return false;
        o->budget = (size_t)n << 20;
    }
    return true;
}
