/* Recording and replaying the machine's input. */
#include "runtime/machine/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/chardev.h"
#include "runtime/dev/disk.h"
#include "runtime/dev/net.h"
#include "runtime/display/display.h"

/* Turns between two checks of a replay without input. A turn is some 10 to 100 us of the guest. */
enum { CHECK_TURNS = 512 };

/* A hash of the virtual time, and of each CPU's place and instructions. */
static uint64_t state_hash(void *opaque)
{
    const struct machine *m = opaque;
    uint64_t hash = hash_more(HASH_START, &m->clock.now, sizeof(m->clock.now));

    for (unsigned i = 0; i < m->cpu_count; i++) {
        const uint64_t words[] = {cpu_pc(m->cpus[i]), cpu_insns_now(m->cpus[i])};

        hash = hash_more(hash, words, sizeof(words));
    }
    return hash;
}

/* ---- begin and end --------------------------------------------------------------------------- */

#define START "start="

bool machine_open_journal(struct machine *m, struct error *err)
{
    const struct options *o = m->options;
    const char *about;

    m->start_time = o->start_time;
    if (!o->record && !o->replay && !o->reverse)
        return true;
    if (o->record && o->replay)
        return error_set(err, "-record and -replay exclude each other");
    if (o->loadvm || o->semihosting || o->host_random)
        return error_set(err, "-record, -replay and -reverse take neither -loadvm, -semihosting "
                              "nor random numbers of the host");
    m->journal = o->replay    ? journal_replay(o->replay, err)
                 : o->reverse ? journal_keep(o->record, err)
                              : journal_record(o->record, err);
    if (!m->journal)
        return false;
    about = o->replay ? journal_about(m->journal) : NULL;
    if (about && !strncmp(about, START, strlen(START)))
        m->start_time = strtoull(about + strlen(START), NULL, 10);
    journal_set_hash(m->journal, state_hash, m);
    return true;
}

bool machine_begin_journal(struct machine *m, struct error *err)
{
    char *own, *about;
    size_t len;
    FILE *out;
    bool ok = true;

    if (!m->journal)
        return true;
    vec_for_each (&m->disks, disk) {
        if (disk_writes_file(*disk))
            return error_set(err, "%.150s: -record, -replay and -reverse need snapshot=on",
                             disk_name(*disk));
    }
    out = open_memstream(&about, &len);
    own = machine_describe(m);
    fprintf(out, START "%" PRIu64 "\n%s", m->start_time, own);
    fclose(out);
    if (journal_is_replay(m->journal))
        ok = machine_is_same("a recording", journal_about(m->journal), about, err);
    else
        journal_begin(m->journal, about);
    free(own);
    free(about);
    return ok;
}

bool machine_end_journal(struct machine *m, struct error *err)
{
    struct journal *j = m->journal;
    bool ok = !j || !journal_diverged(j) ||
              error_set(err, "the replay is another run: %s", journal_diverged(j));

    return journal_end(j, ok ? err : NULL) && ok;
}

/* ---- input ----------------------------------------------------------------------------------- */

static void give_key(struct machine *m, const struct journal_entry *e)
{
    uint32_t word[5];

    if (e->len != sizeof(word) || !m->display)
        return;
    memcpy(word, e->bytes, sizeof(word));
    if (word[0])
        display_pointer(m->display, (int)word[1], (int)word[2], (int)word[3], word[4]);
    else
        display_key(m->display, word[1], word[2] != 0);
}

static void give_input(struct machine *m, const struct journal_entry *e)
{
    switch (e->kind) {
    case JOURNAL_CONSOLE:
    case JOURNAL_BREAK:
        if (e->source < m->chardevs.len)
            chardev_replay(m->chardevs.data[e->source], e->kind == JOURNAL_BREAK, e->bytes, e->len);
        break;
    case JOURNAL_TIME:
        if (e->len == 8)
            clock_advance_to(&m->clock, le_get(e->bytes, 8));
        break;
    case JOURNAL_FRAME:
        if (e->source < m->nets.len)
            net_receive(m->nets.data[e->source], e->bytes, e->len);
        break;
    case JOURNAL_KEY:
        give_key(m, e);
        break;
    default:
        break;
    }
}

void machine_replay_input(struct machine *m)
{
    const struct journal_entry *e;

    while ((e = journal_peek(m->journal)) != NULL && e->turn <= m->turn && e->kind <= JOURNAL_END) {
        struct journal_entry now = *e;

        journal_step(m->journal);
        if (journal_diverged(m->journal))
            break;
        if (now.kind == JOURNAL_END)
            machine_stop(m, 0);
        give_input(m, &now);
    }
    if (journal_diverged(m->journal))
        machine_stop(m, 2);
}

void machine_journal_time(struct machine *m, uint64_t now)
{
    uint8_t bytes[8];

    le_put(bytes, 8, now);
    if (m->journal)
        journal_write(m->journal, JOURNAL_TIME, 0, bytes, sizeof(bytes));
    clock_advance_to(&m->clock, now);
}

void machine_journal_turned(struct machine *m, bool turned)
{
    const struct journal_entry *e = journal_peek(m->journal);

    if (turned) {
        journal_set_turn(m->journal, ++m->turn);
        if (m->turn % CHECK_TURNS == 0)
            journal_write(m->journal, JOURNAL_CHECK, 0, NULL, 0);
    } else if (e && e->turn != m->turn) {
        journal_diverge(m->journal, "nothing happens any more");
        machine_stop(m, 2);
    }
}
