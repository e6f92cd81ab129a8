#include "runtime/machine/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/base/log.h"
#include "runtime/dev/device.h"
#include "runtime/gpu/variant.h"
#include "runtime/machine/values.h"
#include "runtime/time/clock.h"

#define DEFAULT_SNAPSHOT_BYTES (UINT64_C(16) << 30)
#define DEFAULT_MEMORY         (UINT64_C(1) << 30)

/* What the real-time clock shows at power-on: the same in every run. 2027-01-01T00:00:00Z */
#define DEFAULT_START UINT64_C(1798761600)

#define DEFAULT_SEED UINT64_C(1)

struct option {
    const char *name;
    const char *arg; /* NULL: a switch */
    const char *help;
    bool (*apply)(struct options *o, char *value, struct error *err);
};

/* ---- one function an option ------------------------------------------------------------------ */

static void replace(char **where, const char *value)
{
    free(*where);
    *where = xstrdup(value);
}

#define STRING_OPTION(field)                                                   \
    static bool set_##field(struct options *o, char *value, struct error *err) \
    {                                                                          \
        (void)err;                                                             \
        replace(&o->field, value);                                             \
        return true;                                                           \
    }
STRING_OPTION(kernel)
STRING_OPTION(initrd)
STRING_OPTION(append)
STRING_OPTION(dtb)
STRING_OPTION(log_channels)
STRING_OPTION(log_file)
STRING_OPTION(stats_dir)
STRING_OPTION(dump_dtb)
STRING_OPTION(gpu_snapshots)

#define SWITCH_OPTION(field)                                                   \
    static bool set_##field(struct options *o, char *value, struct error *err) \
    {                                                                          \
        (void)value, (void)err;                                                \
        o->field = true;                                                       \
        return true;                                                           \
    }
SWITCH_OPTION(wait_gdb)
SWITCH_OPTION(no_reboot)
SWITCH_OPTION(no_kaslr)

static bool set_smp(struct options *o, char *value, struct error *err)
{
    char *key, *word;
    uint64_t count = 0;

    if (!value_next(&value, &key, &word) || (key && strcmp(key, "cpus")))
        return error_set(err, "-smp takes the number of CPUs");
    if (!value_number(word, "-smp", 1, DEVICE_MAX_CPUS, &count, err))
        return false;
    o->cpus = (unsigned)count;
    return true;
}

static bool set_memory(struct options *o, char *value, struct error *err)
{
    const char *text = strncmp(value, "size=", 5) ? value : value + 5;

    if (!value_size(text, "-m", UINT64_C(1) << 20, &o->memory, err))
        return false;
    if (o->memory < UINT64_C(16) << 20 || o->memory % (UINT64_C(1) << 20))
        return error_set(err, "-m takes whole megabytes, at least 16M, not '%s'", value);
    return true;
}

static bool set_gpu(struct options *o, char *value, struct error *err)
{
    o->gpu = NULL;
    o->list_gpus = !strcmp(value, "help");
    if (o->list_gpus || !strcmp(value, "none"))
        return true;
    o->gpu = gpu_variant_by_name(value);
    return o->gpu || error_set(err, "-gpu knows no '%s' (-gpu help lists them)", value);
}

static bool set_gpu_threads(struct options *o, char *value, struct error *err)
{
    uint64_t count = 0;

    if (!value_number(value, "-gpu-threads", 1, MAX_GPU_THREADS, &count, err))
        return false;
    o->gpu_threads = (unsigned)count;
    return true;
}

static bool set_gpu_snapshot_limit(struct options *o, char *value, struct error *err)
{
    return value_size(value, "-gpu-snapshot-limit", 1, &o->gpu_snapshot_bytes, err);
}

static void print_gpus(void)
{
    for (const struct gpu_variant *v = gpu_variants; v->name; v++)
        printf("%-10s %s, %u core%s, %u MHz\n", v->name, v->title, v->cores,
               v->cores == 1 ? "" : "s", v->clock_mhz);
    printf("%-10s the board has none (the default)\n", "none");
}

static bool add_serial(struct options *o, char *value, struct error *err)
{
    (void)err;
    vec_push(&o->serials, xstrdup(value));
    return true;
}

static bool set_nographic(struct options *o, char *value, struct error *err)
{
    (void)o, (void)value, (void)err; /* there is no other way yet */
    return true;
}

static bool set_script(struct options *o, char *value, struct error *err)
{
    char *spec = NULL;

    if (asprintf(&spec, "script:%s", value) < 0)
        return error_set(err, "out of memory");
    vec_push(&o->serials, spec);
    return true;
}

static bool drive_key(struct drive_option *d, const char *key, char *value, struct error *err)
{
    if (!key || !strcmp(key, "file")) {
        replace(&d->file, value);
        return true;
    }
    if (!strcmp(key, "format"))
        return !strcmp(value, "raw") || error_set(err, "-drive knows format=raw, not '%s'", value);
    if (!strcmp(key, "readonly") || !strcmp(key, "read-only"))
        return value_switch(value, "-drive readonly", &d->read_only, err);
    if (!strcmp(key, "snapshot"))
        return value_switch(value, "-drive snapshot", &d->snapshot, err);
    if (!strcmp(key, "if"))
        return !strcmp(value, "virtio") ||
               error_set(err, "-drive knows if=virtio, not '%s'", value);
    if (!strcmp(key, "id"))
        return true;
    return error_set(err, "-drive has no '%s' (file, format, if, readonly, snapshot)", key);
}

static bool add_drive(struct options *o, char *value, struct error *err)
{
    struct drive_option d = {0};
    char *key, *word;

    while (value_next(&value, &key, &word)) {
        if (!drive_key(&d, key, word, err)) {
            free(d.file);
            return false;
        }
    }
    if (!d.file)
        return error_set(err, "-drive needs file=FILE");
    vec_push(&o->drives, d);
    return true;
}

static bool folder_key(struct folder_option *f, const char *key, char *value, struct error *err)
{
    if (!key)
        return !strcmp(value, "local") || error_set(err, "-virtfs knows local, not '%s'", value);
    if (!strcmp(key, "path")) {
        replace(&f->path, value);
        return true;
    }
    if (!strcmp(key, "mount_tag")) {
        replace(&f->tag, value);
        return true;
    }
    if (!strcmp(key, "readonly") || !strcmp(key, "read-only"))
        return value_switch(value, "-virtfs readonly", &f->read_only, err);
    if (!strcmp(key, "security_model"))
        return ninep_model_by_name(value, &f->model) ||
               error_set(err,
                         "-virtfs security_model is none, passthrough or mapped-xattr, not '%s'",
                         value);
    if (!strcmp(key, "id"))
        return true;
    return error_set(err, "-virtfs has no '%s' (path, mount_tag, readonly, security_model)", key);
}

static void free_folder(struct folder_option *f)
{
    free(f->path);
    free(f->tag);
}

static bool add_folder(struct options *o, char *value, struct error *err)
{
    struct folder_option f = {0};
    char *key, *word;
    bool ok = true;

    while (ok && value_next(&value, &key, &word))
        ok = folder_key(&f, key, word, err);
    if (ok && (!f.path || !f.tag))
        ok = error_set(err, "-virtfs needs path=DIR and mount_tag=TAG");
    if (!ok) {
        free_folder(&f);
        return false;
    }
    vec_push(&o->folders, f);
    return true;
}

static void free_net(struct net_option *n)
{
    char **forward;

    vec_for_each (forward, &n->host_forward)
        free(*forward);
    vec_free(&n->host_forward);
}

static bool net_key(struct net_option *n, const char *key, char *value, struct error *err)
{
    if (!strcmp(key, "hostfwd")) {
        vec_push(&n->host_forward, xstrdup(value));
        return true;
    }
    if (!strcmp(key, "restrict"))
        return value_switch(value, "-nic restrict", &n->restricted, err);
    if (!strcmp(key, "id") || !strcmp(key, "model"))
        return true;
    return error_set(err, "-nic user has no '%s' (hostfwd, restrict)", key);
}

static bool add_net(struct options *o, char *value, struct error *err)
{
    struct net_option n = {0};
    char *key, *word;

    if (!strcmp(value, "none"))
        return true;
    if (!value_next(&value, &key, &word) || key || strcmp(word, "user"))
        return error_set(err, "-nic knows 'user' and 'none'");
    while (value_next(&value, &key, &word)) {
        bool ok = key ? net_key(&n, key, word, err)
                      : error_set(err, "-nic user: '%s' needs a value", word);

        if (!ok) {
            free_net(&n);
            return false;
        }
    }
    vec_push(&o->nets, n);
    return true;
}

static bool set_gdb(struct options *o, char *value, struct error *err)
{
    char *spec = NULL;
    const char *host = value;
    const char *colon;

    if (!strncmp(host, "tcp:", 4))
        host += 4;
    colon = strrchr(host, ':');
    if (!colon || !colon[1] || strspn(colon + 1, "0123456789") != strlen(colon + 1))
        return error_set(err, "-gdb takes tcp:[HOST]:PORT, not '%s'", value);
    if (asprintf(&spec, "tcp:%s%s", colon == host ? "127.0.0.1" : "", host) < 0)
        return error_set(err, "out of memory");
    free(o->gdb);
    o->gdb = spec;
    return true;
}

static bool set_default_gdb(struct options *o, char *value, struct error *err)
{
    char port[] = "tcp::1234";

    (void)value;
    return set_gdb(o, port, err);
}

static bool set_icount(struct options *o, char *value, struct error *err)
{
    char *key, *word;
    uint64_t n = 0;

    if (!value_next(&value, &key, &word) || *value)
        return error_set(err, "-icount takes shift=N or ps=N");
    if (key && !strcmp(key, "ps"))
        return value_number(word, "-icount ps", 1, 1000000, &o->ps_per_insn, err);
    if (key && strcmp(key, "shift"))
        return error_set(err, "-icount takes shift=N or ps=N");
    if (!value_number(word, "-icount shift", 0, 10, &n, err))
        return false;
    o->ps_per_insn = UINT64_C(1000) << n;
    return true;
}

static bool set_rtc(struct options *o, char *value, struct error *err)
{
    char *key, *word;

    if (!value_next(&value, &key, &word) || !key || strcmp(key, "base") || *value)
        return error_set(err, "-rtc takes base=DATE");
    return value_date(word, &o->start_time, err);
}

static bool set_clock(struct options *o, char *value, struct error *err)
{
    static const char *const names[] = {
        [CLOCK_AUTO] = "auto", [CLOCK_VIRTUAL] = "virtual", [CLOCK_HOST] = "host"};

    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        if (!strcmp(value, names[i])) {
            o->clock = (enum clock_mode)i;
            return true;
        }
    }
    return error_set(err, "-clock is auto, virtual or host, not '%s'", value);
}

static bool set_seed(struct options *o, char *value, struct error *err)
{
    o->host_random = !strcmp(value, "host");
    return o->host_random || value_number(value, "-seed", 0, UINT64_MAX, &o->seed, err);
}

static bool set_limit(struct options *o, char *value, struct error *err)
{
    uint64_t seconds = 0;

    if (!value_number(value, "-limit", 1, UINT64_C(1000000000), &seconds, err))
        return false;
    o->limit_ns = seconds * NS_PER_SEC;
    return true;
}

#define JIT_OPTION(id, name, arg, help)                                     \
    static bool set_##id(struct options *o, char *value, struct error *err) \
    {                                                                       \
        return jit_option(&o->jit, name, value, err);                       \
    }
#include "runtime/jit/options.inc"
#undef JIT_OPTION

/* ---- the table ------------------------------------------------------------------------------- */

/* An entry without `apply` is a heading of --help. */
static const struct option table[] = {
    {"What to start", NULL, NULL, NULL},
    {"kernel", "FILE", "Linux Image (also gzipped), ELF or raw code", set_kernel},
    {"initrd", "FILE", "initial RAM disk", set_initrd},
    {"append", "TEXT", "the kernel's command line", set_append},
    {"dtb", "FILE", "device tree of the board, as Debian ships it", set_dtb},
    {"The machine", NULL, NULL, NULL},
    {"smp", "N", "number of CPUs (default 1)", set_smp},
    {"m", "SIZE", "RAM: 512M, 2G, … (default 1G)", set_memory},
    {"memory", "SIZE", "the same", set_memory},
    {"gpu", "NAME|none|help", "the Mali GPU of the board (default none)", set_gpu},
    {"gpu-threads", "N", "host threads on which its shader cores run (default 1)", set_gpu_threads},
    {"drive", "file=FILE[,format=raw][,readonly=on][,snapshot=on]",
     "a disk; snapshot: what the guest writes is forgotten at the end", add_drive},
    {"virtfs", "local,path=DIR,mount_tag=TAG[,readonly=on][,security_model=MODEL]",
     "a folder of the host; in the guest: mount -t 9p -o trans=virtio TAG /mnt. MODEL is\n"
     "  none          what the guest makes is yours; devices, pipes, sockets and\n"
     "                set-user-ID and set-group-ID bits are refused (the default)\n"
     "  passthrough   owners, modes and devices on the host are as the guest says: for\n"
     "                root, and for guests that may do all that root may\n"
     "  mapped-xattr  they are kept in attributes of files that are yours, as QEMU does",
     add_folder},
    {"nic", "user[,hostfwd=tcp:[ADDR]:PORT-[ADDR]:PORT][,restrict=on]",
     "a network card; hostfwd: this port of the host is a port of the guest's. It listens on\n"
     "127.0.0.1 unless an address is given (0.0.0.0: everybody)",
     add_net},
    {"netdev", "user[,…]", "the same", add_net},
    {"rtc", "base=utc|localtime|@SECONDS|DATE",
     "the real-time clock at power-on (default 2027-01-01, so that runs are alike)", set_rtc},
    {"seed", "N|host", "source of what the guest takes for random (default 1)", set_seed},
    {"no-kaslr", NULL, "give the kernel no seed to place itself at random", set_no_kaslr},
    {"The console", NULL, NULL, NULL},
    {"nographic", NULL, "the first serial port is this terminal (the default)", set_nographic},
    {"serial", "stdio|null|file:F|pty|tcp:[HOST]:PORT[,server]|script:F",
     "where the next serial port goes; Ctrl-A h in the terminal shows its keys. Without a host,\n"
     "tcp is 127.0.0.1",
     add_serial},
    {"script", "FILE",
     "the serial port is driven by lines 'expect TEXT', 'send TEXT', 'wait MS', 'quit', at\n"
     "virtual times: two runs print the same bytes",
     set_script},
    {"Time", NULL, NULL, NULL},
    {"icount", "shift=N|ps=N",
     "an instruction takes 2^N ns, or N ps, of virtual time (default ps=1000)", set_icount},
    {"clock", "virtual|host|auto",
     "whether waiting takes host time (auto: only with a terminal or a network)", set_clock},
    {"limit", "SECONDS", "end after so much virtual time, with status 124", set_limit},
    {"no-reboot", NULL, "end when the guest resets the machine", set_no_reboot},
    {"Looking inside", NULL, NULL, NULL},
    {"d", "CHANNEL[,CHANNEL…]", "log these; -d help lists them", set_log_channels},
    {"D", "FILE", "the log goes there instead of standard error", set_log_file},
    {"log", "CHANNEL[,CHANNEL…]", "the same as -d", set_log_channels},
    {"stats", "DIR", "write stats.json and stats.txt there at the end", set_stats_dir},
    {"gpu-snapshot", "DIR",
     "write the memory of each chain of GPU jobs there before it runs, for mali-run",
     set_gpu_snapshots},
    {"gpu-snapshot-limit", "SIZE",
     "stop that before the files take more than so much (default 16G)", set_gpu_snapshot_limit},
    {"gdb", "tcp:[HOST]:PORT", "serve a debugger, on 127.0.0.1 unless a host is given", set_gdb},
    {"s", NULL, "the same as -gdb tcp::1234", set_default_gdb},
    {"S", NULL, "wait for the debugger before the first instruction", set_wait_gdb},
    {"dump-dtb", "FILE", "write the device tree that the guest gets, and end", set_dump_dtb},
    {"Speed", NULL, NULL, NULL},
#define JIT_OPTION(id, name, arg, help) {name, arg, help, set_##id},
#include "runtime/jit/options.inc"
#undef JIT_OPTION
};

static void print_help(const char *name, const char *summary)
{
    printf(
        "%s: simulates the %s.\n\n"
        "    %s -kernel FILE -dtb FILE [-initrd FILE] [-append TEXT] [OPTION…]\n\n"
        "Options may have one dash or two. The guest's power-off ends it with status 0, bad\n"
        "files and options with 2. Ctrl-A x in the terminal, SIGINT and SIGTERM end it within a\n"
        "second, whatever the guest does; statistics are written then too.\n",
        name, summary, name);
    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        const struct option *opt = &table[i];

        if (!opt->apply) {
            printf("\n%s:\n", opt->name);
            continue;
        }
        printf("  -%s%s%s\n", opt->name, opt->arg ? " " : "", opt->arg ? opt->arg : "");
        for (const char *line = opt->help; line; line = strchr(line, '\n')) {
            line += *line == '\n';
            printf("          %.*s\n", (int)strcspn(line, "\n"), line);
        }
    }
    puts("  -help, -h\n          this text\n  -version\n          the version");
}

/* ---- the command line ------------------------------------------------------------------------ */

static const struct option *find(const char *name, size_t len)
{
    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        if (table[i].apply && strlen(table[i].name) == len && !memcmp(table[i].name, name, len))
            return &table[i];
    }
    return NULL;
}

/* Applies argv[*i], and moves *i past its value. `--name=value` is accepted with two dashes. */
static bool apply_one(struct options *o, int argc, char **argv, int *i, struct error *err)
{
    const char *word = argv[*i], *name = word + 1 + (word[1] == '-');
    const char *equals = word[1] == '-' ? strchr(name, '=') : NULL;
    const struct option *opt;
    char *value = NULL;
    bool ok;

    if (*word != '-' || !*name)
        return error_set(err, "unexpected argument '%s' (try --help)", word);
    opt = find(name, equals ? (size_t)(equals - name) : strlen(name));
    if (!opt)
        return error_set(err, "unknown option '%s' (try --help)", word);
    if (opt->arg && equals)
        value = xstrdup(equals + 1);
    else if (opt->arg && *i + 1 < argc)
        value = xstrdup(argv[++*i]);
    else if (opt->arg)
        return error_set(err, "%s needs a value: %s", word, opt->arg);
    else if (equals)
        return error_set(err, "-%s takes no value", opt->name);
    ok = opt->apply(o, value, err);
    free(value);
    return ok;
}

static bool is_word(const char *word, const char *a, const char *b)
{
    word += *word == '-';
    word += *word == '-';
    return !strcmp(word, a) || !strcmp(word, b);
}

enum options_result options_parse(struct options *o, const char *name, const char *summary,
                                  int argc, char **argv, struct error *err)
{
    *o = (struct options){
        .cpus = 1,
        .gpu_threads = 1,
        .gpu_snapshot_bytes = DEFAULT_SNAPSHOT_BYTES,
        .memory = DEFAULT_MEMORY,
        .start_time = DEFAULT_START,
        .seed = DEFAULT_SEED,
        .limit_ns = CLOCK_NEVER,
        .jit = jit_defaults(),
    };
    for (int i = 1; i < argc; i++) {
        if (*argv[i] == '-' && is_word(argv[i], "help", "h")) {
            print_help(name, summary);
            return OPTIONS_DONE;
        }
        if (*argv[i] == '-' && is_word(argv[i], "version", "version")) {
            printf("%s (gencc) " GENCC_VERSION "\n", name);
            return OPTIONS_DONE;
        }
        if (!apply_one(o, argc, argv, &i, err))
            return OPTIONS_WRONG;
    }
    if (o->wait_gdb && !o->gdb) {
        error_set(err, "-S needs a debugger: -s or -gdb tcp::PORT");
        return OPTIONS_WRONG;
    }
    if (o->log_channels && !strcmp(o->log_channels, "help")) {
        log_help(stdout);
        return OPTIONS_DONE;
    }
    if (o->list_gpus) {
        print_gpus();
        return OPTIONS_DONE;
    }
    return OPTIONS_RUN;
}

void options_free(struct options *o)
{
    struct drive_option *drive;
    struct net_option *net;
    struct folder_option *folder;
    char **serial;

    vec_for_each (drive, &o->drives)
        free(drive->file);
    vec_for_each (net, &o->nets)
        free_net(net);
    vec_for_each (folder, &o->folders)
        free_folder(folder);
    vec_for_each (serial, &o->serials)
        free(*serial);
    vec_free(&o->drives);
    vec_free(&o->nets);
    vec_free(&o->folders);
    vec_free(&o->serials);
    free(o->kernel);
    free(o->initrd);
    free(o->append);
    free(o->dtb);
    free(o->log_channels);
    free(o->log_file);
    free(o->stats_dir);
    free(o->dump_dtb);
    free(o->gpu_snapshots);
    free(o->gdb);
}
