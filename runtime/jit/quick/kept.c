/*
 * The records of a run: those of its file, and those of traces that were translated since. They are
 * found by the key of their first block, in a table with chains.
 *
 * Bounds      memory and file: MAX_BYTES of records. A record that no run has taken for MAX_AGE
 *             files is left out of the next.
 */
#include "runtime/jit/quick/kept.h"

#include "runtime/base/alloc.h"
#include "runtime/jit/quick/target.h"

enum {
    MAX_BYTES = 48 << 20,
    MAX_AGE = 8,
    NEW_PART = 32, /* a file is written if at least 1 / NEW_PART of its records are new */
    BUCKETS = 1 << 14,
    FIRST_LOOK = 2, /* executions of a block before its records are looked for */
};

struct kept_record {
    struct kept_head *head;
    uint32_t next; /* number + 1 of the next one in its bucket; 0: none */
    bool is_own;   /* in memory of its own, not in that of the file */
    bool is_used;  /* made or taken in this run */
    bool is_dropped;
};

struct kept {
    char *path; /* of the folder, from the root; NULL: the user's. It is not open meanwhile, since
                   open files of user mode are the guest's. */
    struct file_key key; /* of the file */
    struct program_image image;
    void *file; /* NULL: there was none */
    VEC(struct kept_record) records;
    uint32_t *buckets;
    size_t bytes;       /* of all records that are not dropped */
    uint32_t new_count; /* records made in this run */
    bool writes;
};

/* ---- the table ------------------------------------------------------------------------------- */

static uint32_t *bucket_of(struct kept *k, const struct file_key *key)
{
    return &k->buckets[key->half[0] % BUCKETS];
}

static void add_record(struct kept *k, struct kept_record record)
{
    uint32_t *bucket = bucket_of(k, &record.head->key);

    record.next = *bucket;
    vec_push(&k->records, record);
    *bucket = (uint32_t)k->records.len;
    k->bytes += record.head->bytes;
}

static void drop_record(struct kept *k, struct kept_record *r)
{
    if (!r->is_dropped)
        k->bytes -= r->head->bytes;
    r->is_dropped = true;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* What records of the same file have in common, besides the program that is run. */
static struct file_key file_key_of(const struct jit *jit, const struct program_image *image)
{
    const uint64_t facts[] = {jit->counts, quick_has_traps(jit->quick), sizeof(struct cpu),
                              jit->quick->features};
    const char *program = jit->options.program ? jit->options.program : "";
    struct file_key key = {0};

    file_key_add(&key, image->id, sizeof(image->id));
    file_key_add(&key, q_target.name, strlen(q_target.name));
    file_key_add(&key, program, strlen(program));
    file_key_add(&key, facts, sizeof(facts));
    return key;
}

static void read_file(struct kept *k, struct file_cache *folder)
{
    struct kept_view v;
    size_t size = 0;
    uint8_t *at;

    at = k->file = file_cache_get(folder, &k->key, &size);
    while (at && kept_view_of(at, size, &k->image, &v)) {
        add_record(k, (struct kept_record){.head = (struct kept_head *)(void *)at});
        size -= v.head->bytes;
        at += v.head->bytes;
    }
}

/* Whether a record goes into the next file. */
static bool is_kept(const struct kept_record *r)
{
    return !r->is_dropped && (r->is_used || r->head->age < MAX_AGE);
}

static void write_file(struct kept *k)
{
    struct file_cache *folder;
    uint8_t *bytes, *at;
    struct error why;

    if (!file_cache_choose(&folder, k->path, "traces", &why) || !folder)
        return;
    at = bytes = xcalloc(1, k->bytes + 1);
    for (uint32_t n = 0; n < k->records.len; n++) {
        struct kept_record *r = &k->records.data[n];

        if (!is_kept(r))
            continue;
        r->head->age = r->is_used ? 0 : r->head->age + 1;
        memcpy(at, r->head, r->head->bytes);
        at += r->head->bytes;
    }
    file_cache_put(folder, &k->key, bytes, (size_t)(at - bytes));
    file_cache_close(folder);
    free(bytes);
}

/* ---- taking and keeping ---------------------------------------------------------------------- */

/* Whether records of a block are looked for now: from the second execution on, at each doubling,
 * since its successors may be known only later. */
static bool is_time(const struct jit *jit, const struct block *b)
{
    uint32_t threshold = jit->options.quick_threshold;

    return b->heat == threshold ||
           (b->heat < threshold && b->heat >= FIRST_LOOK && !(b->heat & (b->heat - 1)));
}

struct region *kept_take(struct jit *jit, struct cpu *cpu, struct block *b)
{
    struct kept *k = jit->kept;
    struct kept_view v;
    struct file_key key;
    struct region *r;

    if (!k || b->has_no_record || !is_time(jit, b))
        return NULL;
    b->has_no_record = true;
    if (!kept_key(jit, cpu, b, cpu->block_pc, &key))
        return NULL;
    for (uint32_t n = *bucket_of(k, &key); n; n = k->records.data[n - 1].next) {
        struct kept_record *record = &k->records.data[n - 1];

        if (record->is_dropped || memcmp(&record->head->key, &key, sizeof(key)))
            continue;
        b->has_no_record = false;
        v = kept_tables_of(record->head);
        r = kept_trace_of(jit, cpu, b, &v);
        if (r) {
            record->is_used = true;
            r->quick->record = n;
            jit->counters.kept++;
            return r;
        }
        jit->counters.kept_others++;
    }
    return NULL;
}

/* Drops records of the same blocks, which did not do. */
static void drop_same(struct kept *k, const struct kept_head *head)
{
    size_t sources = head->counts[KEPT_SOURCES] * sizeof(struct kept_source);

    for (uint32_t n = *bucket_of(k, &head->key); n; n = k->records.data[n - 1].next) {
        struct kept_record *r = &k->records.data[n - 1];

        if (!memcmp(&r->head->key, &head->key, sizeof(head->key)) &&
            r->head->counts[KEPT_SOURCES] == head->counts[KEPT_SOURCES] &&
            !memcmp(r->head + 1, head + 1, sources))
            drop_record(k, r);
    }
}

void kept_add(struct jit *jit, const struct region *r, const struct file_key *key)
{
    struct kept *k = jit->kept;
    struct kept_head *head;

    if (k->bytes > MAX_BYTES)
        return;
    head = kept_record_of(r, key);
    if (!head)
        return;
    drop_same(k, head);
    add_record(k, (struct kept_record){.head = head, .is_own = true, .is_used = true});
    r->quick->record = (uint32_t)k->records.len;
    k->new_count++;
}

void kept_drop(struct jit *jit, const struct region *r)
{
    if (jit->kept && r->quick->record)
        drop_record(jit->kept, &jit->kept->records.data[r->quick->record - 1]);
}

/* ---- life ------------------------------------------------------------------------------------ */

bool kept_start(struct jit *jit, struct error *err)
{
    const char *where = jit->options.cache;
    bool is_user = !strcmp(where, "on");
    struct file_cache *folder;
    struct kept *k;

    if (!*where || !jit->quick || jit->options.handlers || !q_target.set_pointer)
        return true;
    if (!file_cache_choose(&folder, is_user ? NULL : where, "traces", err))
        return false;
    if (!folder)
        return true;
    k = xcalloc(1, sizeof(*k));
    k->path = is_user ? NULL : realpath(where, NULL);
    if (!program_image_find(&k->image)) {
        file_cache_close(folder);
        free(k->path);
        free(k);
        return error_set(err, "-jit-cache: this program was linked without a build ID");
    }
    jit->kept = k;
    jit->quick->image = &k->image;
    k->key = file_key_of(jit, &k->image);
    k->buckets = xcalloc(BUCKETS, sizeof(*k->buckets));
    k->writes = is_user || k->path;
    read_file(k, folder);
    file_cache_close(folder);
    return true;
}

void kept_leave(struct jit *jit)
{
    if (jit->kept)
        jit->kept->writes = false;
}

void kept_stop(struct jit *jit)
{
    struct kept *k = jit->kept;

    if (!k)
        return;
    if (k->writes && k->new_count && k->new_count * (uint64_t)NEW_PART >= k->records.len)
        write_file(k);
    for (uint32_t n = 0; n < k->records.len; n++) {
        if (k->records.data[n].is_own)
            free(k->records.data[n].head);
    }
    vec_free(&k->records);
    free(k->buckets);
    free(k->file);
    free(k->path);
    free(k);
    jit->kept = NULL;
    if (jit->quick)
        jit->quick->image = NULL;
}
