/*
 * script:PATH drives a guest by a file of lines, at virtual times, the same in every run:
 *
 *     expect TEXT    wait until the guest has printed TEXT since the last expect
 *     send TEXT      type TEXT
 *     wait MS        wait for MS virtual milliseconds
 *     quit           end the simulation
 *     # ...          a comment
 *
 * TEXT is the rest of the line, with \n, \r, \t, \\ and \xNN. Output goes to stdout as well.
 *
 * Bounds      a byte of output ends at most all steps of the file; the last MAX_TEXT bytes of
 *             output are kept
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/vec.h"
#include "runtime/base/alloc.h"
#include "runtime/dev/chardev_backend.h"
#include "runtime/obs/journal.h"

#define MAX_TEXT  4096 /* longest line; half of it is the longest text to expect */
#define MAX_LINES 65536

/* Delay of a key after the output that caused it, as from a fast typist. */
#define REACTION_NS UINT64_C(1000000)

enum step_kind { STEP_EXPECT, STEP_SEND, STEP_WAIT, STEP_QUIT };

struct step {
    enum step_kind kind;
    char *text;
    size_t len;
    uint64_t ns;
};

struct script {
    VEC(struct step) steps;
    size_t at;
    char seen[MAX_TEXT]; /* the end of the output since the last expect */
    size_t seen_len;
    struct event event;
    uint64_t due;  /* time of the event in a snapshot; CLOCK_NEVER: none */
    uint64_t hash; /* tells scripts with other steps apart */
};

/* ---- reading the file ------------------------------------------------------------------------ */

/* Decodes escapes in place; false: an unknown escape. */
static bool decode_escapes(char *text, size_t *len)
{
    size_t to = 0;
    unsigned byte;

    for (size_t i = 0; text[i]; i++) {
        if (text[i] != '\\') {
            text[to++] = text[i];
            continue;
        }
        switch (text[++i]) {
        case 'n':
            text[to++] = '\n';
            break;
        case 'r':
            text[to++] = '\r';
            break;
        case 't':
            text[to++] = '\t';
            break;
        case '\\':
            text[to++] = '\\';
            break;
        case 'x':
            /* sscanf() would accept a blank, a sign or a single digit as well. */
            if (strspn(text + i + 1, "0123456789abcdefABCDEF") < 2)
                return false;
            sscanf(text + i + 1, "%2x", &byte);
            text[to++] = (char)byte;
            i += 2;
            break;
        default:
            return false;
        }
    }
    *len = to;
    return true;
}

/* Parses one line, without its newline, into a step; false: it is not a step. */
static bool parse_line(struct script *s, char *line)
{
    struct step step = {0};
    size_t word = strcspn(line, " ");
    char *text = line[word] ? line + word + 1 : line + word, *end;

    if (!line[strspn(line, " ")] || *line == '#')
        return true;
    line[word] = 0;
    if (!strcmp(line, "quit") && !*text) {
        step.kind = STEP_QUIT;
    } else if (!strcmp(line, "wait")) {
        step.kind = STEP_WAIT;
        step.ns = strtoul(text, &end, 10);
        if (end == text || *end || *text == '-' || step.ns > UINT64_C(1000000000))
            return false;
        step.ns *= 1000000;
    } else if (!strcmp(line, "expect") || !strcmp(line, "send")) {
        step.kind = *line == 'e' ? STEP_EXPECT : STEP_SEND;
        if (!decode_escapes(text, &step.len) || !step.len || step.len > MAX_TEXT / 2)
            return false;
        step.text = memcpy(xcalloc(step.len, 1), text, step.len);
    } else {
        return false;
    }
    for (size_t i = 0; i < step.len; i++)
        s->hash = (s->hash ^ (uint8_t)step.text[i]) * UINT64_C(0x100000001b3);
    s->hash = (s->hash ^ step.ns ^ (uint64_t)step.kind << 60) * UINT64_C(0x100000001b3);
    vec_push(&s->steps, step);
    return true;
}

static bool read_script(struct script *s, const char *path, struct error *err)
{
    FILE *file = fopen(path, "r");
    char line[MAX_TEXT];
    unsigned number = 0;
    bool ok = true;

    if (!file)
        return error_set(err, "cannot read the script '%s': %s", path, strerror(errno));
    while (ok && fgets(line, sizeof(line), file)) {
        size_t len = strcspn(line, "\n");

        number++;
        ok = (line[len] == '\n' || feof(file)) && number <= MAX_LINES;
        line[len] = 0;
        ok = ok && parse_line(s, line);
        if (!ok)
            error_set(err, "%s:%u: expected 'expect TEXT', 'send TEXT', 'wait MS' or 'quit'", path,
                      number);
    }
    fclose(file);
    return ok;
}

/* ---- running it ------------------------------------------------------------------------------ */

static struct step *current_step(struct script *s)
{
    return s->at < s->steps.len ? &s->steps.data[s->at] : NULL;
}

/* Plans the current step, unless it waits for output. */
static void plan_step(struct chardev *chr)
{
    struct script *s = chr->data;
    struct step *step = current_step(s);

    if (step && step->kind != STEP_EXPECT)
        clock_add(chr->host.clock, &s->event,
                  clock_now(chr->host.clock) + (step->ns ? step->ns : REACTION_NS));
}

/* Goes on while awaited texts have come; what follows one is kept for the next expect. */
static void match_output(struct chardev *chr)
{
    struct script *s = chr->data;

    for (;;) {
        struct step *step = current_step(s);
        const char *end;

        if (!step || step->kind != STEP_EXPECT)
            break;
        end = memmem(s->seen, s->seen_len, step->text, step->len);
        if (!end)
            return;
        end += step->len;
        s->seen_len -= (size_t)(end - s->seen);
        memmove(s->seen, end, s->seen_len);
        s->at++;
        if (current_step(s) && current_step(s)->kind != STEP_EXPECT)
            plan_step(chr);
    }
}

static void on_step_due(void *opaque)
{
    struct chardev *chr = opaque;
    struct script *s = chr->data;
    struct step *step = current_step(s);

    if (!step)
        return;
    s->at++;
    if (step->kind == STEP_SEND)
        chardev_feed(chr, step->text, step->len);
    else if (step->kind == STEP_QUIT && chr->host.quit)
        chr->host.quit(chr->host.opaque);
    plan_step(chr);
    match_output(chr);
}

static void script_write(struct chardev *chr, const uint8_t *bytes, size_t len)
{
    struct script *s = chr->data;

    if (!journal_is_past(chr->host.journal))
        chardev_write_fd(STDOUT_FILENO, bytes, len, -1);
    for (size_t i = 0; i < len; i++) {
        if (s->seen_len == MAX_TEXT) { /* keep the newer half: no awaited text is longer */
            s->seen_len /= 2;
            memmove(s->seen, s->seen + s->seen_len, s->seen_len);
        }
        s->seen[s->seen_len++] = (char)bytes[i];
    }
    match_output(chr);
}

static void script_close(struct chardev *chr)
{
    struct script *s = chr->data;

    clock_cancel(chr->host.clock, &s->event);
    vec_for_each (&s->steps, step)
        free(step->text);
    vec_free(&s->steps);
    free(s);
}

static bool script_open(struct chardev *chr, const char *args, struct error *err)
{
    struct script *s = xcalloc(1, sizeof(*s));

    chr->data = s;
    event_init(&s->event, on_step_due, chr);
    snprintf(chr->description, sizeof(chr->description), "script %s", args);
    if (!read_script(s, args, err)) {
        script_close(chr);
        return false;
    }
    plan_step(chr);
    return true;
}

static const struct state_field fields[] = {
    STATE_FIELD(struct script, at),       STATE_FIELD(struct script, seen),
    STATE_FIELD(struct script, seen_len), STATE_FIELD(struct script, due),
    STATE_FIELD(struct script, hash),     STATE_END,
};

static void script_save(struct chardev *chr, struct state_buf *buf)
{
    struct script *s = chr->data;

    s->due = event_pending(&s->event) ? s->event.when : CLOCK_NEVER;
    state_save(buf, "script", fields, s);
}

static void script_load(struct chardev *chr, const struct state_buf *buf)
{
    struct script *s = chr->data;
    const uint64_t own = s->hash;

    clock_cancel(chr->host.clock, &s->event);
    s->hash = ~own;
    if (state_load(buf, "script", fields, s, NULL) && s->hash == own && s->seen_len <= MAX_TEXT) {
        clock_add(chr->host.clock, &s->event, s->due);
        return;
    }
    s->at = s->seen_len = 0;
    s->hash = own;
    plan_step(chr);
}

const struct chardev_backend chardev_script = {"script",    script_open, script_write, script_close,
                                               script_save, script_load, true};
