/* The value of option -cpu: a kind of CPU, and features by name. */
#include "runtime/cpu/choice.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/cpu/layout.h"

_Static_assert(CPU_MAX_FEATURES <= 32, "one bit of cpu_choice per feature");

static bool is_option(const struct cpu_isa *isa, unsigned n)
{
    return isa->feature_about && isa->feature_about[n];
}

/* ---- listing --------------------------------------------------------------------------------- */

/* Feature names are upper case in descriptions, and lower case on command lines. */
static void print_lower(const char *name, FILE *out)
{
    for (; *name; name++)
        fputc(tolower((unsigned char)*name), out);
}

static void list_names(const char *const *names, FILE *out)
{
    for (unsigned n = 0; names[n]; n++)
        fprintf(out, "%s%s", n ? ", " : "", names[n]);
}

static void list_features(const struct cpu_isa *isa, FILE *out)
{
    const char *between = "";

    for (unsigned n = 0; n < isa->feature_count; n++) {
        if (!is_option(isa, n))
            continue;
        fputs(between, out);
        print_lower(isa->feature_names[n], out);
        between = ", ";
    }
    if (!*between)
        fputs("there is none", out);
}

void cpu_choice_help(const struct cpu_isa *isa, const char *const *names, FILE *out)
{
    fputs("-cpu [NAME,]FEATURE=on|off[,...]\n\nNAME: ", out);
    list_names(names, out);
    fputs("\n\nFEATURE:\n", out);
    for (unsigned n = 0; n < isa->feature_count; n++) {
        if (!is_option(isa, n))
            continue;
        fputs("    ", out);
        print_lower(isa->feature_names[n], out);
        fprintf(out, ": %s%s\n", isa->feature_about[n], isa->feature_values[n] ? " (on)" : "");
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Reports an unknown CPU, or with `names` NULL an unknown feature, and lists the known ones. */
static bool report_unknown(const struct cpu_isa *isa, const char *const *names, const char *word,
                           struct error *err)
{
    char *known = NULL;
    size_t len;
    FILE *text = open_memstream(&known, &len);

    if (text && names)
        list_names(names, text);
    else if (text)
        list_features(isa, text);
    if (text)
        fclose(text);
    error_set(err, "-cpu knows no %s '%s' (%s)", names ? "CPU" : "feature", word,
              known ? known : "-cpu help lists them");
    free(known);
    return false;
}

static bool read_name(struct cpu_choice *choice, const char *const *names, const char *word,
                      struct error *err)
{
    for (unsigned n = 0; names[n]; n++) {
        if (!strcasecmp(names[n], word)) {
            choice->name = names[n];
            return true;
        }
    }
    return report_unknown(NULL, names, word, err);
}

/* Reads one FEATURE=on or FEATURE=off; `value` is the text behind the '='. */
static bool read_feature(struct cpu_choice *choice, const struct cpu_isa *isa, const char *word,
                         const char *value, struct error *err)
{
    unsigned n = 0;
    bool on = !strcmp(value, "on");

    while (n < isa->feature_count &&
           (!is_option(isa, n) || strcasecmp(isa->feature_names[n], word)))
        n++;
    if (n == isa->feature_count)
        return report_unknown(isa, NULL, word, err);
    if (!on && strcmp(value, "off"))
        return error_set(err, "-cpu takes %s=on or %s=off", word, word);
    choice->on &= ~(UINT32_C(1) << n);
    choice->off &= ~(UINT32_C(1) << n);
    *(on ? &choice->on : &choice->off) |= UINT32_C(1) << n;
    return true;
}

bool cpu_choice_read(struct cpu_choice *choice, const struct cpu_isa *isa, const char *const *names,
                     const char *text, struct error *err)
{
    char *list = text ? xstrdup(text) : NULL;
    char *rest = list, *word;
    bool ok = true;

    *choice = (struct cpu_choice){0};
    while (ok && (word = strsep(&rest, ","))) {
        char *value = strchr(word, '=');

        if (value)
            *value++ = 0;
        if (value)
            ok = read_feature(choice, isa, word, value, err);
        else
            ok = word == list ? read_name(choice, names, word, err)
                              : error_set(err, "-cpu takes %s=on or %s=off", word, word);
    }
    free(list);
    return ok;
}

void cpu_choice_apply(const struct cpu_choice *choice, struct cpu *cpu)
{
    const struct cpu_isa *isa = cpu->isa;
    bool all = choice->name && !strcmp(choice->name, CPU_CHOICE_MAX);

    for (unsigned n = 0; n < isa->feature_count; n++) {
        uint32_t bit = UINT32_C(1) << n;

        if (!is_option(isa, n) || (!all && !((choice->on | choice->off) & bit)))
            continue;
        cpu->reset_features[n] = (choice->on & bit) || (all && !(choice->off & bit));
        cpu->features[n] = cpu->reset_features[n];
    }
    cpu->attention |= CPU_ATT_KEY;
}
