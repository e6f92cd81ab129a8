/* The command line of a platform binary: the table of options, and those without devices. */
#include "runtime/base/alloc.h"
#include "runtime/gpu/compute.h"
#include "runtime/machine/options_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/base/cli.h"
#include "runtime/base/log.h"
#include "runtime/base/values.h"
#include "runtime/dev/device.h"
#include "runtime/gpu/variant.h"
#include "runtime/time/clock.h"

#define DEFAULT_SNAPSHOT_BYTES (UINT64_C(16) << 30)
#define DEFAULT_MEMORY         (UINT64_C(1) << 30)

/* Real-time clock at power-on, 2027-01-01T00:00:00Z: fixed, so that all runs are equal. */
#define DEFAULT_START UINT64_C(1798761600)

#define DEFAULT_SEED UINT64_C(1)

#define DEFAULT_TIMELINE_EVENTS 1000000
#define DEFAULT_TIMELINE_WARPS  8

/* ---- one function an option ------------------------------------------------------------------ */

static bool set_smp(void *options, char *value, struct error *err)
{
    struct options *o = options;
    char *key, *word;
    uint64_t count = 0;

    if (!value_next(&value, &key, &word) || (key && strcmp(key, "cpus")))
        return error_set(err, "-smp takes the number of CPUs");
    if (!value_number(word, "-smp", 1, DEVICE_MAX_CPUS, &count, err))
        return false;
    o->cpus = (unsigned)count;
    return true;
}

static bool set_memory(void *options, char *value, struct error *err)
{
    struct options *o = options;
    const char *text = strncmp(value, "size=", 5) ? value : value + 5;

    if (!value_size(text, "-m", UINT64_C(1) << 20, &o->memory, err))
        return false;
    if (o->memory < UINT64_C(16) << 20 || o->memory % (UINT64_C(1) << 20))
        return error_set(err, "-m takes whole megabytes, at least 16M, not '%s'", value);
    return true;
}

static bool set_gpu(void *options, char *value, struct error *err)
{
    struct options *o = options;
    o->gpu = NULL;
    o->list_gpus = !strcmp(value, "help");
    o->no_gpu = !strcmp(value, "none");
    if (o->list_gpus || o->no_gpu)
        return true;
    o->gpu = gpu_variant_by_name(value);
    return o->gpu || error_set(err, "-gpu knows no '%s' (-gpu help lists them)", value);
}

static bool set_gpu_timing(void *options, char *value, struct error *err)
{
    struct options *o = options;
    o->gpu_timed = strcmp(value, "off") != 0;
    return !o->gpu_timed || timing_fidelity_read(value, &o->gpu_fidelity, err);
}

static bool set_gpu_clock(void *options, char *value, struct error *err)
{
    struct options *o = options;

    o->gpu_clock = (struct power_point){0};
    o->gpu_guest_clock = !strcmp(value, "guest");
    return o->gpu_guest_clock || power_point_read(value, &o->gpu_clock, err);
}

static bool set_gpu_power(void *options, char *value, struct error *err)
{
    struct options *o = options;

    o->gpu_power = !strcmp(value, "on");
    return o->gpu_power || !strcmp(value, "off") ||
           error_set(err, "-gpu-power is on or off, not %.40s", value);
}

static bool set_gpu_snapshot_limit(void *options, char *value, struct error *err)
{
    struct options *o = options;
    return value_size(value, "-gpu-snapshot-limit", 1, &o->gpu_snapshot_bytes, err);
}

static void print_gpus(void)
{
    gpu_variants_print(stdout);
    printf("%-10s the board has none\n", "none");
}

/* The terminal serves one serial port, or the monitor. */
static bool take_terminal(struct options *o, const char *what, struct error *err)
{
    if (o->terminal_taken)
        return error_set(err, "%s: the terminal can be one port's, or the monitor's", what);
    o->terminal_taken = true;
    return true;
}

static bool set_monitor(void *options, char *value, struct error *err)
{
    struct options *o = options;

    if (o->monitor)
        return error_set(err, "-monitor is there twice");
    if (!strncmp(value, "mon:", 4) || !strncmp(value, "file:", 5) || !strcmp(value, "memory"))
        return error_set(err,
                         "-monitor takes stdio, pty, unix:PATH, tcp:[HOST]:PORT, script:FILE "
                         "or none, not '%s'",
                         value);
    if (!strcmp(value, "stdio") && !take_terminal(o, "-monitor stdio", err))
        return false;
    o->monitor = xstrdup(strcmp(value, "null") ? value : "none");
    return true;
}

static bool add_source(void *options, char *value, struct error *err)
{
    (void)err;
    vec_push(&((struct options *)options)->sources, xstrdup(value));
    return true;
}

static bool add_serial(void *options, char *value, struct error *err)
{
    struct options *o = options;
    const char *spec = strncmp(value, "mon:", 4) ? value : value + 4; /* Ctrl-A always works */

    if (!strcmp(spec, "stdio") && !take_terminal(o, "-serial stdio", err))
        return false;
    vec_push(&o->serials, xstrdup(spec));
    return true;
}

/* `value` is FILE or FILE@SECONDS. */
static bool add_screendump(void *options, char *value, struct error *err)
{
    struct options *o = options;
    struct screendump_option d = {.when = CLOCK_NEVER};
    char *at = strrchr(value, '@'), *end;
    double seconds;

    if (at && at[1] && strspn(at + 1, "0123456789.") == strlen(at + 1)) {
        seconds = strtod(at + 1, &end);
        if (*end || seconds > 1e9)
            return error_set(err, "-screendump takes FILE[@SECONDS], not '%s'", value);
        *at = 0;
        d.when = (uint64_t)(seconds * (double)NS_PER_SEC);
    }
    if (!*value)
        return error_set(err, "-screendump takes FILE[@SECONDS]");
    d.file = xstrdup(value);
    vec_push(&o->screendumps, d);
    return true;
}

static bool set_display(void *options, char *value, struct error *err)
{
    struct options *o = options;

    free(o->vnc);
    o->vnc = NULL;
    if (!strcmp(value, "none"))
        return true;
    if (strncmp(value, "vnc=", 4) != 0)
        return error_set(err, "-display knows none and vnc=[HOST]:N, not '%s'", value);
    o->vnc = xstrdup(value + 4);
    return true;
}

/* Seconds with a fraction, as ns. */
static bool read_seconds(const char *text, const char *what, uint64_t *ns, struct error *err)
{
    char *end;
    double seconds = strtod(text, &end);

    if (end == text || *end || !(seconds >= 0) || seconds > 1e9)
        return error_set(err, "%s takes seconds, not '%s'", what, text);
    *ns = (uint64_t)(seconds * (double)NS_PER_SEC + 0.5);
    return true;
}

static bool timeline_word(struct options *o, const char *key, const char *word, struct error *err)
{
    if (!key && !o->timeline) {
        o->timeline = xstrdup(word);
        return true;
    }
    if (key && !strcmp(key, "from"))
        return read_seconds(word, "-timeline from", &o->timeline_from, err);
    if (key && !strcmp(key, "for"))
        return read_seconds(word, "-timeline for", &o->timeline_for, err);
    if (key && !strcmp(key, "events"))
        return value_number(word, "-timeline events", 1, UINT64_C(100000000), &o->timeline_events,
                            err);
    if (key && !strcmp(key, "warps"))
        return value_number(word, "-timeline warps", 0, UINT64_C(100000000), &o->timeline_warps,
                            err);
    return error_set(err, "-timeline takes FILE[,from=SECONDS][,for=SECONDS][,events=N][,warps=N]");
}

static bool set_timeline(void *options, char *value, struct error *err)
{
    struct options *o = options;
    char *key, *word;

    if (o->timeline)
        return error_set(err, "-timeline is there twice");
    while (value_next(&value, &key, &word)) {
        if (!timeline_word(o, key, word, err))
            return false;
    }
    return (o->timeline && *o->timeline) || error_set(err, "-timeline needs a FILE");
}

static bool set_nographic(void *options, char *value, struct error *err)
{
    (void)options, (void)value, (void)err; /* ignored: there is no window to omit */
    return true;
}

static bool set_script(void *options, char *value, struct error *err)
{
    struct options *o = options;
    char *spec = NULL;

    if (asprintf(&spec, "script:%s", value) < 0)
        return error_set(err, "out of memory");
    vec_push(&o->serials, spec);
    return true;
}

/* Reads the address of an option of this name. */
static bool set_gdb_address(char **to, const char *option, char *value, struct error *err)
{
    char *spec = NULL;
    const char *host = value;
    const char *colon;

    if (!strncmp(host, "tcp:", 4))
        host += 4;
    colon = strrchr(host, ':');
    if (!colon || !colon[1] || strspn(colon + 1, "0123456789") != strlen(colon + 1))
        return error_set(err, "%s takes tcp:[HOST]:PORT, not '%s'", option, value);
    if (asprintf(&spec, "tcp:%s%s", colon == host ? "127.0.0.1" : "", host) < 0)
        return error_set(err, "out of memory");
    free(*to);
    *to = spec;
    return true;
}

static bool set_gdb(void *options, char *value, struct error *err)
{
    return set_gdb_address(&((struct options *)options)->gdb, "-gdb", value, err);
}

static bool set_gpu_gdb(void *options, char *value, struct error *err)
{
    return set_gdb_address(&((struct options *)options)->gpu_gdb, "-gpu-gdb", value, err);
}

static bool set_default_gdb(void *options, char *value, struct error *err)
{
    struct options *o = options;
    char port[] = "tcp::1234";

    (void)value;
    return set_gdb(o, port, err);
}

#define ICOUNT_WORDS "-icount takes shift=N or ps=N, and rr=record|replay with rrfile=FILE"

/* What -icount says. */
struct icount {
    char mode; /* 'c': record, 'p': replay, 0: neither */
    const char *file;
    unsigned speeds; /* number of pairs for the CPUs' speed */
    bool is_auto;    /* QEMU's shift=auto, which its users write with rr */
};

static bool set_icount_pair(struct options *o, const char *key, const char *word, struct icount *i,
                            struct error *err)
{
    uint64_t n = 0;

    if (key && !strcmp(key, "rrfile")) {
        i->file = word;
        return true;
    }
    if (key && !strcmp(key, "rr") && (!strcmp(word, "record") || !strcmp(word, "replay"))) {
        i->mode = word[2];
        return true;
    }
    if ((key && strcmp(key, "ps") && strcmp(key, "shift")) || i->speeds++)
        return error_set(err, ICOUNT_WORDS);
    if (key && !strcmp(key, "ps"))
        return value_number(word, "-icount ps", 1, 1000000, &o->ps_per_tick, err);
    i->is_auto = key && !strcmp(word, "auto");
    if (i->is_auto)
        return true;
    if (!value_number(word, "-icount shift", 0, 10, &n, err))
        return false;
    o->ps_per_tick = UINT64_C(1000) << n;
    return true;
}

static bool set_icount(void *options, char *value, struct error *err)
{
    struct options *o = options;
    struct icount i = {0};
    char *key, *word;

    while (*value) {
        if (!value_next(&value, &key, &word))
            return error_set(err, ICOUNT_WORDS);
        if (!set_icount_pair(o, key, word, &i, err))
            return false;
    }
    if (!i.mode != !i.file || (i.is_auto && !i.mode))
        return error_set(err, ICOUNT_WORDS);
    if (i.mode) {
        free(o->icount_file);
        o->icount_file = xstrdup(i.file);
        *(i.mode == 'c' ? &o->record : &o->replay) = o->icount_file;
    }
    return true;
}

static bool set_rtc(void *options, char *value, struct error *err)
{
    struct options *o = options;
    char *key, *word;

    if (!value_next(&value, &key, &word) || !key || strcmp(key, "base") || *value)
        return error_set(err, "-rtc takes base=DATE");
    return value_date(word, &o->start_time, err);
}

static bool set_clock(void *options, char *value, struct error *err)
{
    struct options *o = options;
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

static bool set_seed(void *options, char *value, struct error *err)
{
    struct options *o = options;
    o->host_random = !strcmp(value, "host");
    return o->host_random || value_number(value, "-seed", 0, UINT64_MAX, &o->seed, err);
}

static bool set_limit(void *options, char *value, struct error *err)
{
    struct options *o = options;
    uint64_t seconds = 0;

    if (!value_number(value, "-limit", 1, UINT64_C(1000000000), &seconds, err))
        return false;
    o->limit_ns = seconds * NS_PER_SEC;
    return true;
}

static bool set_reverse(void *options, char *value, struct error *err)
{
    struct options *o = options;
    char *state = NULL;

    o->reverse = true;
    if (!strcmp(value, "on"))
        return true;
    for (char *word = strtok_r(value, ",", &state); word; word = strtok_r(NULL, ",", &state)) {
        char *number = strchr(word, '=');
        uint64_t *where, n = 0;

        if (number)
            *number++ = 0;
        where = !strcmp(word, "every")  ? &o->reverse_every
                : !strcmp(word, "keep") ? &o->reverse_keep
                : !strcmp(word, "size") ? &o->reverse_bytes
                                        : NULL;
        if (!where || !number)
            return error_set(err, "-reverse takes on, or every=, keep= and size=, not '%s'", word);
        if (!value_number(number, "-reverse", 1, 1000000, &n, err))
            return false;
        *where =
            where == &o->reverse_keep ? n : n * (where == &o->reverse_every ? 1000000 : 1 << 20);
    }
    return true;
}

static bool set_snapshot_every(void *options, char *value, struct error *err)
{
    struct options *o = options;

    if (!read_seconds(value, "-snapshot-every", &o->snapshot_every, err))
        return false;
    return o->snapshot_every || error_set(err, "-snapshot-every: a time above 0 is needed");
}

#define JIT_OPTION(id, name, arg, help)                                 \
    static bool set_##id(void *options, char *value, struct error *err) \
    {                                                                   \
        struct options *o = options;                                    \
                                                                        \
        return jit_option(&o->jit, name, value, err);                   \
    }
#include "runtime/jit/options.inc"
#undef JIT_OPTION

/* ---- the table ------------------------------------------------------------------------------- */

#define OPTION(member) struct options, member

static const struct cli_option table[] = {
    CLI_HEADING("What to start"),
    CLI_TEXT("kernel", OPTION(kernel), "FILE", "Linux Image (also gzipped), ELF or raw code"),
    CLI_TEXT("initrd", OPTION(initrd), "FILE", "initial RAM disk"),
    CLI_TEXT("append", OPTION(append), "TEXT", "the kernel's command line"),
    CLI_TEXT("dtb", OPTION(dtb), "FILE",
             "device tree of the board, as Debian ships it\n"
             "(default: the platform's own, where it has one)"),
    CLI_HEADING("The machine"),
    CLI_TEXT("machine", OPTION(board), "NAME|help", "the board: this program has one"),
    CLI_TEXT("M", OPTION(board), "NAME|help", "the same"),
    CLI_TEXT(
        "cpu", OPTION(cpu), "[NAME,]FEATURE=on|off[,…]",
        "of which kind all CPUs are (default: as the board says), and features that they have\n"
        "or not; -cpu help lists them"),
    CLI_CALL("smp", set_smp, "N", "number of CPUs (default 1)"),
    CLI_CALL("m", set_memory, "SIZE", "RAM: 512M, 2G, … (default 1G)"),
    CLI_CALL("memory", set_memory, "SIZE", "the same"),
    CLI_CALL("gpu", set_gpu, "NAME|none|help",
             "the Mali GPU of the board (default: what its tree names)"),
    CLI_NUMBER("gpu-threads", OPTION(gpu_threads), 1, MAX_GPU_THREADS, "N",
               "host threads on which its shader cores run (default 1)"),
    CLI_NUMBER("gpu-translate", OPTION(gpu_translate), 0, UINT32_MAX, "N",
               "make host code of a shader's bundles that were executed N times (default 8192; 0: "
               "of none)"),
    CLI_TEXT("shader-cache", OPTION(shader_cache), "DIR|off",
             "the folder that keeps shaders' host code for later runs, at most 256 MB (default:\n"
             "gencc/shaders in $XDG_CACHE_HOME or ~/.cache); results are the same without"),
    CLI_CALL("gpu-timing", set_gpu_timing, "reassemble|detailed|off",
             "its jobs take the time that this model predicts (default off: a rough one)"),
    CLI_TEXT("gpu-cores", OPTION(gpu_cores), "CORES|FILE",
             "the shader cores that its jobs may use, as bits (0x3: two); or a file with lines\n"
             "all CORES, space N CORES, kernel HASH CORES (default: those that the driver names)"),
    CLI_CALL("gpu-clock", set_gpu_clock, "MHZ[:MV]|guest",
             "its clock, and voltage (default: that of its operating points); guest: its driver\n"
             "chooses among these points, which the device tree has then"),
    CLI_CALL(
        "gpu-power", set_gpu_power, "on|off",
        "meter its energy, for sensors, -stats and -timeline (default off); its jobs take the\n"
        "time of -gpu-timing, which is detailed then unless given"),
    CLI_CALL(
        "drive", options_add_drive,
        "file=FILE[,if=virtio|sd|pflash|none][,id=ID][,format=raw|qcow2][,readonly=on][,snapshot="
        "on]",
        "a disk; sd: a card in the board's slot, pflash: what its flash memory holds, none: a\n"
        "-device says; snapshot: what the guest writes is forgotten at the end"),
    CLI_SWITCH("snapshot", OPTION(snapshot), "forget at the end what the guest writes to any disk"),
    CLI_CALL("virtfs", options_add_virtfs,
             "local,path=DIR,mount_tag=TAG[,readonly=on][,security_model=MODEL]",
             "a folder of the host; in the guest: mount -t 9p -o trans=virtio TAG /mnt. MODEL is\n"
             "  none          what the guest makes is yours; devices, pipes, sockets and\n"
             "                set-user-ID and set-group-ID bits are refused (the default)\n"
             "  passthrough   owners, modes and devices on the host are as the guest says: for\n"
             "                root, and for guests that may do all that root may\n"
             "  mapped-xattr  they are kept in attributes of files that are yours, as QEMU does"),
    CLI_CALL("fsdev", options_add_fsdev,
             "local,id=ID,path=DIR[,readonly=on][,security_model=MODEL]",
             "the same for a -device, which has the TAG"),
    CLI_CALL(
        "nic", options_add_nic,
        "user[,model=NAME][,mac=ADDR][,hostfwd=tcp:[ADDR]:PORT-[ADDR]:PORT][,restrict=on]",
        "a network card: a virtio card (the default), or that of the board whose compatible ends "
        "so,\n"
        "such as lan9118; hostfwd: this port of the host is a port of the guest's. It listens on\n"
        "127.0.0.1 unless an address is given (0.0.0.0: everybody)"),
    CLI_CALL("netdev", options_add_netdev, "user[,id=ID][,…]",
             "the same: a virtio card, unless a -device has it"),
    CLI_CALL("device", options_add_device, "NAME[,PROPERTY=VALUE…]|help",
             "a virtio device on a disk, a network or a folder with that ID; -device help lists "
             "them"),
    CLI_CALL("rtc", set_rtc, "base=utc|localtime|@SECONDS|DATE",
             "the real-time clock at power-on (default 2027-01-01, so that runs are alike)"),
    CLI_CALL("seed", set_seed, "N|host", "source of what the guest takes for random (default 1)"),
    CLI_SWITCH("no-kaslr", OPTION(no_kaslr), "give the kernel no seed to place itself at random"),
    CLI_SWITCH("semihosting", OPTION(semihosting),
               "serve a program's calls of a debugger: console, files of the host, time, exit"),
    CLI_HEADING("The screen"),
    CLI_CALL(
        "display", set_display, "none|vnc=[HOST]:N",
        "a live view, keyboard and mouse by VNC at port 5900 + N, on 127.0.0.1 unless a host is\n"
        "given (default none)"),
    CLI_CALL("screendump", add_screendump, "FILE.png[@SECONDS]",
             "write a picture of the screen, at that virtual time, or at the end"),
    CLI_HEADING("The console"),
    CLI_CALL("nographic", set_nographic, NULL,
             "the first serial port is this terminal (the default)"),
    CLI_CALL(
        "serial", add_serial, "stdio|null|file:F|pty|tcp:[HOST]:PORT[,server]|script:F",
        "where the next serial port goes; Ctrl-A h in the terminal shows its keys. The host of\n"
        "tcp is 127.0.0.1 unless it is given"),
    CLI_CALL(
        "script", set_script, "FILE",
        "the serial port is driven by lines 'expect TEXT', 'send TEXT', 'wait MS', 'quit', at\n"
        "virtual times: two runs print the same bytes"),
    CLI_CALL(
        "monitor", set_monitor, "stdio|pty|unix:PATH[,…]|tcp:[HOST]:PORT[,…]|script:F|none",
        "commands to the machine, as GDB's 'monitor': 'help' lists them. With server=on a socket "
        "is\n"
        "listened at, and with wait=on as well the machine waits for a client. Without -monitor:\n"
        "Ctrl-A c in the terminal"),
    CLI_HEADING("Time"),
    CLI_CALL("icount", set_icount, "shift=N|ps=N|rr=record|replay,rrfile=FILE",
             "an instruction, or each tick of one that takes several, takes 2^N ns, or N ps, of\n"
             "virtual time (default: as the board says of its kind of CPU, else ps=1000)"),
    CLI_SWITCH("cpu-timing", OPTION(cpu_timing),
               "a CPU's time is estimated: instructions by their class, misses of its data caches\n"
               "(docs/use/cpu-timing.md); slower, and for boards whose kinds of CPU have numbers"),
    CLI_CALL("clock", set_clock, "virtual|host|auto",
             "whether waiting takes host time (auto: only with a terminal or a network)"),
    CLI_CALL("limit", set_limit, "SECONDS",
             "end after so much virtual time, with status 124; or when an\n"
             "instruction has not ended after 10 s of work"),
    CLI_SWITCH("no-reboot", OPTION(no_reboot), "end when the guest resets the machine"),
    CLI_HEADING("Snapshots of the machine"),
    CLI_TEXT("loadvm", OPTION(loadvm), "NAME",
             "begin at this snapshot, which the monitor's savevm wrote; the other options as then"),
    CLI_CALL("snapshot-every", set_snapshot_every, "SECONDS",
             "write snapshots auto-000001, … at these virtual times; the run stays as it is"),
    CLI_TEXT("snapshot-dir", OPTION(snapshot_dir), "DIR",
             "the folder of snapshots (default: the current one)"),
    CLI_TEXT("record", OPTION(record), "FILE",
             "record what comes from outside: keys, frames, files of -virtfs, host time"),
    CLI_TEXT("replay", OPTION(replay), "FILE",
             "repeat a recorded run, to the byte; the other options as then"),
    CLI_CALL("reverse", set_reverse, "on|[every=N,][keep=M,][size=S]",
             "GDB goes backwards, by a snapshot in memory every N million instructions, at most M\n"
             "and S megabytes of them (default: 100, 64, 2048)"),
    CLI_HEADING("Looking inside"),
    CLI_TEXT("d", OPTION(log_channels), "CHANNEL[,CHANNEL…]", "log these; -d help lists them"),
    CLI_TEXT("D", OPTION(log_file), "FILE", "the log goes there instead of standard error"),
    CLI_TEXT("log", OPTION(log_channels), "CHANNEL[,CHANNEL…]", "the same as -d"),
    CLI_TEXT("stats", OPTION(stats_dir), "DIR", "write stats.json and stats.txt there at the end"),
    CLI_TEXT(
        "gpu-names", OPTION(gpu_names), "FILE",
        "names of GPU kernels, for -d gpu_job, -timeline and reports: lines of the 16 digits that\n"
        "stand there for the kernel's code, and a name"),
    CLI_CALL("timeline", set_timeline, "FILE[,from=SECONDS][,for=SECONDS][,events=N][,warps=N]",
             "write when each CPU ran which task and what the GPU did, as Chrome's trace events,\n"
             "which Perfetto shows; at most N (default 1000000); warps on engines of N jobs (8)"),
    CLI_TEXT("report", OPTION(report), "DIR",
             "write a report of what each GPU kernel executed and why its time passed into this\n"
             "folder at the end, as JSON and CSV, and a page of it by gencc-report"),
    CLI_CALL("report-source", add_source, "FILE",
             "OpenCL C of the report's kernels; may be given for several files"),
    CLI_TEXT("gpu-snapshot", OPTION(gpu_snapshots), "DIR",
             "write the memory of each chain of GPU jobs there before it runs, for mali-run"),
    CLI_CALL("gpu-snapshot-limit", set_gpu_snapshot_limit, "SIZE",
             "stop that before the files take more than so much (default 16G)"),
    CLI_CALL("gdb", set_gdb, "tcp:[HOST]:PORT",
             "serve a debugger, on 127.0.0.1 unless a host is given"),
    CLI_CALL("gpu-gdb", set_gpu_gdb, "tcp:[HOST]:PORT",
             "serve a debugger of the GPU's shaders, whose warps are its threads"),
    CLI_CALL("s", set_default_gdb, NULL, "the same as -gdb tcp::1234"),
    CLI_SWITCH("S", OPTION(wait_gdb),
               "wait for the debugger, or the monitor's 'cont', before the first instruction"),
    CLI_TEXT("dump-dtb", OPTION(dump_dtb), "FILE",
             "write the device tree that the guest gets, and end"),
    CLI_HEADING("Speed"),
#define JIT_OPTION(id, name, arg, help) CLI_CALL(name, set_##id, arg, help),
#include "runtime/jit/options.inc"
#undef JIT_OPTION
};

static const struct cli command_line = {.table = table, .count = ARRAY_SIZE(table)};

static void print_help(const char *name, const char *summary)
{
    printf(
        "%s: simulates the %s.\n\n"
        "    %s -kernel FILE [-dtb FILE] [-initrd FILE] [-append TEXT] [OPTION…]\n\n"
        "Options may have one dash or two. The guest's power-off ends it with status 0, bad\n"
        "files and options with 2. Ctrl-A x in the terminal, SIGINT and SIGTERM end it within a\n"
        "second, whatever the guest does; statistics are written then too.\n",
        name, summary, name);
    cli_print(&command_line, stdout);
}

/* Prints a list that an option requests in place of a run; false: no option does. */
static bool print_instead(const struct options *o)
{
    if (o->log_channels && !strcmp(o->log_channels, "help"))
        log_help(stdout);
    else if (o->list_gpus)
        print_gpus();
    else if (o->list_devices)
        options_print_devices();
    else
        return false;
    return true;
}

/* -snapshot applies to all drives of the command line, also to earlier ones. */
static void forget_writes(struct options *o)
{
    vec_for_each (&o->drives, drive)
        drive->snapshot |= o->snapshot;
}

/* ---- the command line ------------------------------------------------------------------------ */

/* Reading options changes their words. */
static void keep_words(struct options *o, char *const *words)
{
    for (; *words; words++)
        vec_push(&o->words, xstrdup(*words));
    vec_push(&o->words, NULL);
}

/* Checks the options beside each other, and completes what follows from them. */
static bool finish_options(struct options *o, const char *name, struct error *err)
{
    if (o->board && strcmp(o->board, name))
        return error_set(
            err, "-machine: this program is the %s; other boards have programs of their own", name);
    if (!options_connect(o, err))
        return false;
    forget_writes(o);
    o->jit.program = o->kernel;
    if (o->sources.len && !o->report)
        return error_set(err, "-report-source is for -report");
    if (o->wait_gdb && !o->gdb && (!o->monitor || !strcmp(o->monitor, "none")))
        return error_set(err, "-S needs a debugger (-s or -gdb tcp::PORT) or a -monitor");
    return true;
}

enum options_result options_parse(struct options *o, const char *name, const char *summary,
                                  char **argv, struct error *err)
{
    *o = (struct options){
        .cpus = 1,
        .gpu_threads = 1,
        .gpu_translate = GPU_TRANSLATE_AFTER,
        .gpu_snapshot_bytes = DEFAULT_SNAPSHOT_BYTES,
        .memory = DEFAULT_MEMORY,
        .start_time = DEFAULT_START,
        .seed = DEFAULT_SEED,
        .limit_ns = CLOCK_NEVER,
        .timeline_for = CLOCK_NEVER,
        .timeline_events = DEFAULT_TIMELINE_EVENTS,
        .timeline_warps = DEFAULT_TIMELINE_WARPS,
        .jit = jit_defaults(),
    };
    keep_words(o, argv + 1);
    switch (cli_read(&command_line, o, argv, err)) {
    case CLI_HELP:
        print_help(name, summary);
        return OPTIONS_DONE;
    case CLI_VERSION:
        cli_print_version(name, stdout);
        return OPTIONS_DONE;
    case CLI_WRONG:
        return OPTIONS_WRONG;
    case CLI_DONE:
        break;
    }
    if (o->board && !strcmp(o->board, "help")) {
        printf("%-10s %s\n", name, summary);
        return OPTIONS_DONE;
    }
    if (print_instead(o))
        return OPTIONS_DONE;
    return finish_options(o, name, err) ? OPTIONS_RUN : OPTIONS_WRONG;
}

void options_free(struct options *o)
{
    options_free_devices(o);
    vec_for_each (&o->serials, serial)
        free(*serial);
    vec_for_each (&o->screendumps, dump)
        free(dump->file);
    vec_free(&o->screendumps);
    for (size_t i = 0; i < o->words.len; i++)
        free(o->words.data[i]);
    for (size_t i = 0; i < o->sources.len; i++)
        free(o->sources.data[i]);
    vec_free(&o->words);
    vec_free(&o->sources);
    free(o->vnc);
    vec_free(&o->serials);
    free(o->gdb);
    free(o->gpu_gdb);
    free(o->monitor);
    free(o->timeline);
    free(o->icount_file);
}
