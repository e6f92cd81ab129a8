/*
 * Finds kernels and their buffer parameters in OpenCL C, and compares them with code. Macros are
 * not expanded, so a kernel that a macro defines is not found.
 *
 * Bounds      REPORT_POINTERS buffers per kernel
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/report/internal.h"

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns a copy in which comments are replaced by blanks; the caller frees it. */
static char *without_comments(const char *text)
{
    char *copy = xstrdup(text);

    for (char *at = copy; *at;) {
        const char *end;
        size_t length;

        if (at[0] != '/' || (at[1] != '/' && at[1] != '*')) {
            at++;
            continue;
        }
        end = at[1] == '/' ? strchr(at, '\n') : strstr(at + 2, "*/");
        length = !end ? strlen(at) : at[1] == '/' ? (size_t)(end - at) : (size_t)(end + 2 - at);
        memset(at, ' ', length);
        at += length;
    }
    return copy;
}

/* Returns the position behind the parenthesis that closes the one at `at`, or the text's end. */
static const char *behind_parenthesis(const char *at)
{
    int depth = 0;

    for (; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        if (!depth)
            return at + 1;
    }
    return at;
}

/* A word of the text. */
struct word {
    const char *at;
    size_t length;
};

static bool is_word(struct word w, const char *text)
{
    return w.length == strlen(text) && !memcmp(w.at, text, w.length);
}

/* Returns the next word from `at` on; its length is 0 at the end of the text. */
static struct word next_word(const char *at)
{
    struct word w = {at, 0};

    while (*w.at && !is_letter(*w.at))
        w.at++;
    while (is_letter(w.at[w.length]))
        w.length++;
    return w;
}

static bool is_space(struct word w, const char *name)
{
    return is_word(w, name) || (w.length > 2 && !memcmp(w.at, "__", 2) &&
                                is_word((struct word){w.at + 2, w.length - 2}, name));
}

/* Reads the kernel's name and returns its parenthesis; `at` is behind the word `kernel`. NULL: no
 * named kernel follows, as in a declaration of a type. */
static const char *find_parenthesis(const char *at, struct word *name)
{
    name->length = 0;
    while (*at && !strchr(";{}=\"#", *at)) {
        if (*at == '(' && !is_word(*name, "__attribute__"))
            return name->length ? at : NULL;
        if (*at == '(') {
            at = behind_parenthesis(at);
        } else if (is_letter(*at)) {
            *name = next_word(at);
            at += name->length;
        } else {
            at++;
        }
    }
    return NULL;
}

/* Returns the opening parenthesis of the next kernel from `at` on; NULL: there is none. */
static const char *next_kernel(const char *at, struct word *name)
{
    for (struct word w = next_word(at); w.length; w = next_word(w.at + w.length)) {
        const char *found = is_space(w, "kernel") ? find_parenthesis(w.at + w.length, name) : NULL;

        if (found)
            return found;
    }
    return NULL;
}

/* Returns the opening parenthesis of the named kernel, or without a name of the only kernel. NULL:
 * not found. */
static const char *find_kernel(const char *text, const char *wanted)
{
    const char *found = NULL;
    struct word name;

    for (const char *at = text; (at = next_kernel(at, &name)) != NULL; at++) {
        if (wanted ? !is_word(name, wanted) : false)
            continue;
        if (found && !wanted)
            return NULL;
        found = at;
        if (wanted)
            break;
    }
    return found;
}

unsigned report_kernels(const char *source, report_kernel_name *names, unsigned most)
{
    char *text = without_comments(source);
    unsigned count = 0;
    struct word name;

    for (const char *at = text; (at = next_kernel(at, &name)) != NULL; at++) {
        if (count < most && name.length < sizeof(*names)) {
            memcpy(names[count], name.at, name.length);
            names[count][name.length] = 0;
            count++;
        }
    }
    free(text);
    return count;
}

/* Returns the kernel's body as a text of its own, which the caller frees; NULL: not found. */
static char *copy_body(const char *source, const char *name)
{
    char *text = without_comments(source), *body = NULL;
    const char *at = find_kernel(text, name),
               *from = at ? strchr(behind_parenthesis(at), '{') : NULL;
    int depth = 0;

    for (at = from; at && *at && !body; at++) {
        depth += (*at == '{') - (*at == '}');
        if (!depth) {
            body = xcalloc(1, (size_t)(at + 2 - from));
            memcpy(body, from, (size_t)(at + 1 - from));
        }
    }
    free(text);
    return body;
}

/* Whether the text behind a subscript stores to it. */
static bool is_store(const char *at)
{
    at += strspn(at, " \t\r\n");
    if (!strncmp(at, "++", 2) || !strncmp(at, "--", 2))
        return true;
    at += !strncmp(at, "<<", 2) || !strncmp(at, ">>", 2) ? 2
          : *at && strchr("+-*/%&|^", *at)               ? 1
                                                         : 0;
    return at[0] == '=' && at[1] != '=';
}

/* Whether a body only reads elements of a parameter: each use is a subscript that no store, no
 * increment and no operator of an address has. */
static bool only_reads(const char *body, const char *parameter)
{
    for (struct word w = next_word(body); w.length; w = next_word(w.at + w.length)) {
        const char *at = w.at + w.length;
        int depth = 0;

        if (!is_word(w, parameter))
            continue;
        if (*at != '[' || (w.at > body && strchr("&+-", w.at[-1])))
            return false;
        do
            depth += (*at == '[') - (*at == ']');
        while (*at++ && depth);
        at += *at == '.' ? 1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyz0123456789") : 0;
        if (is_store(at))
            return false;
    }
    return true;
}

/* Whether the buffer of the pointer with this number was written. */
static bool is_written(const struct report_kernel *k, uint32_t pointer)
{
    for (size_t i = 0; i < k->buffers.len; i++)
        if (k->buffers.data[i].pointer == pointer && k->buffers.data[i].writes)
            return true;
    return false;
}

/* Whether the code has a barrier. */
static bool has_barrier(const struct report_kernel *k)
{
    for (size_t i = 0; i < k->bundles.len; i++)
        if (k->bundles.data[i].profile.barrier)
            return true;
    return false;
}

bool report_source_fits(const struct report_kernel *k, const char *source, const char *name)
{
    struct report_parameter parameters[REPORT_POINTERS];
    unsigned count = report_parameters(source, name, parameters);
    char *body = copy_body(source, name);
    bool fits = body && count == k->pointer_count;

    fits = fits && has_barrier(k) == (strstr(body, "barrier") != NULL);
    for (unsigned i = 0; fits && i < count; i++)
        fits =
            !is_written(k, i) || (!parameters[i].constant && !only_reads(body, parameters[i].name));
    free(body);
    return fits;
}

bool report_source_has(const char *source, const char *name)
{
    char *text = without_comments(source);
    bool has = find_kernel(text, name);

    free(text);
    return has;
}

/* Reads a parameter, which ends before `end`. Returns false if it is no buffer. */
static bool read_parameter(const char *at, const char *end, struct report_parameter *out)
{
    const char *star = memchr(at, '*', (size_t)(end - at));
    struct word last = {NULL, 0};
    bool global = false;

    out->constant = false;
    for (struct word w = next_word(at); w.length && w.at < end; w = next_word(w.at + w.length)) {
        global |= is_space(w, "global") || is_space(w, "constant");
        out->constant |= is_space(w, "constant") || (w.at < star && (is_word(w, "const")));
        last = w;
    }
    if (!star || !global)
        return false;
    if (last.length >= sizeof(out->name))
        last.length = sizeof(out->name) - 1;
    memcpy(out->name, last.at ? last.at : "", last.length);
    out->name[last.length] = 0;
    return true;
}

unsigned report_parameters(const char *source, const char *name, struct report_parameter *out)
{
    char *text = without_comments(source);
    const char *at = find_kernel(text, name), *end = at ? behind_parenthesis(at) - 1 : NULL;
    unsigned count = 0;

    for (uint32_t index = 0; at && at < end && count < REPORT_POINTERS; index++) {
        const char *from = ++at;

        for (int depth = 0; at < end && (depth || *at != ','); at++)
            depth += (*at == '(') - (*at == ')');
        out[count].index = index;
        count += read_parameter(from, at, &out[count]);
    }
    free(text);
    return count;
}

void report_parameters_make(struct report_kernel *k)
{
    unsigned count = k->source ? report_parameters(k->source, k->name, k->parameters) : 0;

    k->parameter_count = count == k->pointer_count ? count : 0;
    for (unsigned i = 0; i < k->parameter_count; i++)
        if (k->parameters[i].constant && is_written(k, i))
            k->parameter_count = 0;
}
