/*
 * Served: all operations but SYS_TMPNAM and SYS_SYSTEM. The name ":tt" is the console: standard
 * output and standard error. Reading the console returns the end of file at once, since keys go to
 * serial ports.
 *
 * A call that moves more than MAX_TEXT bytes is served in parts: the CPU executes the instruction
 * again for each part, and the guest sees one long call. Opening a file never waits for a peer
 * (FIFOs, terminals).
 *
 * Bounds      MAX_FILES open files, MAX_TEXT bytes of a name, a text or a transfer's part; a part
 *             takes PART_PS of virtual time
 * Source      Semihosting for AArch32 and AArch64, release 2.0; RISC-V Semihosting, version 1.0
 */
#include "runtime/machine/semihosting.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/base/state.h"
#include "runtime/cpu/cpu.h"

enum { MAX_FILES = 64, MAX_TEXT = 4096, MAX_WORDS = 4, MODES = 12 };

/* Reason of SYS_EXIT for a program that ended normally (ADP_Stopped_ApplicationExit) */
#define APPLICATION_EXIT 0x20026

#define PART_PS UINT64_C(10000000)

#define NS_PER_CENTISECOND 10000000
#define NS_PER_SECOND      1000000000

struct request {
    struct semihosting *s;
    struct cpu *cpu;
    uint64_t pc;
    uint32_t number; /* operation's number */
    uint64_t parameter;
    uint64_t field[MAX_WORDS]; /* fields of the parameter block */
    uint64_t done;             /* bytes moved in earlier parts */
    bool has_more;             /* set by an operation: another part follows */
};

struct file {
    FILE *f; /* NULL: not open */
    bool console;
    char *name; /* NULL: never opened */
    unsigned mode;
};

struct semihosting {
    struct machine *m;
    uint32_t conduit;
    uint32_t word_before, word_behind; /* words around the trap; both 0: any */
    unsigned word;                     /* bytes per field of a parameter block */
    int error;                         /* errno of the last operation that failed */
    struct file files[MAX_FILES];      /* file of handle n is files[n - 1] */
    struct request *continued; /* per CPU, the request that its repeated instruction continues */
};

/* ---- what they have in common ---------------------------------------------------------------- */

static int64_t fail_request(const struct request *r, int error)
{
    r->s->error = error;
    return -1;
}

static FILE *file_of(const struct request *r)
{
    uint64_t handle = r->field[0];

    return handle && handle <= MAX_FILES ? r->s->files[handle - 1].f : NULL;
}

static bool is_console(const struct request *r)
{
    return r->s->files[r->field[0] - 1].console;
}

/* Reads a name of the given length from guest memory. */
static bool read_name(const struct request *r, uint64_t at, uint64_t length, char name[MAX_TEXT])
{
    if (length >= MAX_TEXT || !cpu_memory_read(r->cpu, at, name, length))
        return false;
    name[length] = '\0';
    return true;
}

static bool write_word(const struct request *r, uint64_t at, uint64_t value)
{
    uint8_t bytes[8];

    le_put(bytes, r->s->word, value);
    return cpu_memory_write(r->cpu, at, bytes, r->s->word);
}

static void write_console(const void *text, size_t length)
{
    fwrite(text, 1, length, stdout);
    fflush(stdout);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* As fopen(), but without waiting for the other end of a FIFO or terminal. `again`: the file is
 * there, and stays as it is. */
static FILE *open_file(const char *name, unsigned mode, bool again)
{
    static const char *const modes[MODES] = {"r",  "rb",  "r+", "r+b", "w",  "wb",
                                             "w+", "w+b", "a",  "ab",  "a+", "a+b"};
    static const int flags[MODES / 4] = {0, O_CREAT | O_TRUNC, O_CREAT | O_APPEND};
    int access = mode & 2 ? O_RDWR : mode < 4 ? O_RDONLY : O_WRONLY;
    int how = again ? flags[mode / 4] & O_APPEND : flags[mode / 4];
    int fd = open(name, access | how | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    FILE *f = fd < 0 ? NULL : fdopen(fd, modes[mode]);
    struct stat status;

    if (f && (fstat(fd, &status) || !S_ISREG(status.st_mode)))
        setvbuf(f, NULL, _IONBF, 0);
    return f;
}

static FILE *open_console(unsigned mode)
{
    FILE *f = mode < 4 ? fopen("/dev/null", "r")
                       : fdopen(dup(mode < 8 ? STDOUT_FILENO : STDERR_FILENO), "w");

    if (f)
        setvbuf(f, NULL, _IONBF, 0);
    return f;
}

static struct file new_file(const char *name, unsigned mode, bool again)
{
    struct file file = {.console = !strcmp(name, ":tt"), .mode = mode};

    file.f = file.console ? open_console(mode) : open_file(name, mode, again);
    return file;
}

static int64_t sys_open(struct request *r)
{
    char name[MAX_TEXT];
    unsigned handle = 0;
    struct file file;

    while (handle < MAX_FILES && r->s->files[handle].f)
        handle++;
    if (handle == MAX_FILES)
        return fail_request(r, EMFILE);
    if (!read_name(r, r->field[0], r->field[2], name) || r->field[1] >= MODES)
        return fail_request(r, EINVAL);
    file = new_file(name, (unsigned)r->field[1], false);
    if (!file.f)
        return fail_request(r, errno);
    free(r->s->files[handle].name);
    file.name = xstrdup(name);
    r->s->files[handle] = file;
    return handle + 1;
}

static int64_t sys_close(struct request *r)
{
    FILE *f = file_of(r);

    if (!f)
        return fail_request(r, EBADF);
    r->s->files[r->field[0] - 1].f = NULL;
    return fclose(f) ? fail_request(r, errno) : 0;
}

/* Bytes of a transfer's next part. */
static size_t part_of(const struct request *r)
{
    uint64_t left = r->field[2] - r->done;

    return left < MAX_TEXT ? (size_t)left : MAX_TEXT;
}

/* Notes a part of `part` bytes; a short part ends the transfer. Returns the bytes not moved. */
static int64_t note_moved(struct request *r, size_t part)
{
    r->has_more = part && part == part_of(r) && r->done + part < r->field[2];
    r->done += part;
    return (int64_t)(r->field[2] - r->done);
}

static int64_t sys_write(struct request *r)
{
    FILE *f = file_of(r);
    size_t part = f ? part_of(r) : 0;
    char bytes[MAX_TEXT];
    bool ok;

    if (!f) {
        fail_request(r, EBADF);
        return note_moved(r, 0);
    }
    ok = cpu_memory_read(r->cpu, r->field[1] + r->done, bytes, part) &&
         fwrite(bytes, 1, part, f) == part;
    fflush(f);
    if (!ok)
        fail_request(r, EIO);
    return note_moved(r, ok ? part : 0);
}

static int64_t sys_read(struct request *r)
{
    FILE *f = file_of(r);
    char bytes[MAX_TEXT];
    size_t part = 0;

    if (!f)
        fail_request(r, EBADF);
    else
        part = fread(bytes, 1, part_of(r), f);
    if (part && !cpu_memory_write(r->cpu, r->field[1] + r->done, bytes, part))
        part = 0;
    return note_moved(r, part);
}

/* The console cannot seek, although the host's standard output may be a file. */
static int64_t sys_seek(struct request *r)
{
    FILE *f = file_of(r);

    if (!f)
        return fail_request(r, EBADF);
    if (is_console(r))
        return fail_request(r, ESPIPE);
    return fseek(f, (long)r->field[1], SEEK_SET) ? fail_request(r, errno) : 0;
}

static int64_t sys_flen(struct request *r)
{
    FILE *f = file_of(r);
    long here, end;

    if (!f)
        return fail_request(r, EBADF);
    if (is_console(r))
        return fail_request(r, ESPIPE);
    here = ftell(f);
    if (here < 0 || fseek(f, 0, SEEK_END) || (end = ftell(f)) < 0 || fseek(f, here, SEEK_SET))
        return fail_request(r, errno);
    return end;
}

static int64_t sys_istty(struct request *r)
{
    FILE *f = file_of(r);

    return f ? isatty(fileno(f)) : fail_request(r, EBADF);
}

static int64_t sys_remove(struct request *r)
{
    char name[MAX_TEXT];

    if (!read_name(r, r->field[0], r->field[1], name))
        return fail_request(r, EINVAL);
    return remove(name) ? fail_request(r, errno) : 0;
}

static int64_t sys_rename(struct request *r)
{
    char from[MAX_TEXT], to[MAX_TEXT];

    if (!read_name(r, r->field[0], r->field[1], from) ||
        !read_name(r, r->field[2], r->field[3], to))
        return fail_request(r, EINVAL);
    return rename(from, to) ? fail_request(r, errno) : 0;
}

/* ---- the console ----------------------------------------------------------------------------- */

static int64_t sys_writec(struct request *r)
{
    char c;

    if (!cpu_memory_read(r->cpu, r->parameter, &c, 1))
        return fail_request(r, EFAULT);
    write_console(&c, 1);
    return 0;
}

/* Writes up to the byte 0 or to the end of memory. A part stays in a page, which is readable as a
 * whole or not at all. */
static int64_t sys_write0(struct request *r)
{
    uint64_t at = r->parameter + r->done;
    size_t length = MAX_TEXT - at % MAX_TEXT;
    char bytes[MAX_TEXT];
    const char *end;

    if (!cpu_memory_read(r->cpu, at, bytes, length))
        return 0;
    end = memchr(bytes, 0, length);
    write_console(bytes, end ? (size_t)(end - bytes) : length);
    r->has_more = !end;
    r->done += length;
    return 0;
}

static int64_t sys_readc(struct request *r)
{
    return fail_request(r, 0);
}

/* ---- time and the end ------------------------------------------------------------------------ */

static int64_t sys_clock(struct request *r)
{
    return (int64_t)(clock_now(&r->s->m->clock) / NS_PER_CENTISECOND);
}

static int64_t sys_time(struct request *r)
{
    return (int64_t)(r->s->m->options->start_time + clock_now(&r->s->m->clock) / NS_PER_SECOND);
}

/* The result is two words of 32 bits or one of 64 bits: 8 bytes in both cases. */
static int64_t sys_elapsed(struct request *r)
{
    uint8_t bytes[8];

    le_put(bytes, sizeof(bytes), clock_now(&r->s->m->clock));
    return cpu_memory_write(r->cpu, r->parameter, bytes, sizeof(bytes)) ? 0
                                                                        : fail_request(r, EFAULT);
}

static int64_t sys_tickfreq(struct request *r)
{
    (void)r;
    return NS_PER_SECOND;
}

static int64_t end_program(struct request *r, uint64_t reason, uint64_t status)
{
    machine_stop(r->s->m, reason == APPLICATION_EXIT ? (int)(status & 0xff) : 1);
    cpu_set_power(r->cpu, false);
    return 0;
}

static int64_t sys_exit_extended(struct request *r)
{
    return end_program(r, r->field[0], r->field[1]);
}

/* With 32-bit words the parameter is the reason; with 64-bit words, the address of a block. */
static int64_t sys_exit(struct request *r)
{
    return r->s->word == 4 ? end_program(r, r->parameter, 0) : sys_exit_extended(r);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static int64_t sys_iserror(struct request *r)
{
    return (r->s->word == 4 ? (int32_t)r->field[0] : (int64_t)r->field[0]) < 0;
}

static int64_t sys_errno(struct request *r)
{
    return r->s->error;
}

static int64_t sys_get_cmdline(struct request *r)
{
    const struct options *o = r->s->m->options;
    char text[MAX_TEXT];
    int length = snprintf(text, sizeof(text), "%s%s%s", o->kernel ? o->kernel : "",
                          o->append ? " " : "", o->append ? o->append : "");

    if (length < 0 || (size_t)length >= sizeof(text) || (uint64_t)length >= r->field[1])
        return fail_request(r, ENOSPC);
    if (!cpu_memory_write(r->cpu, r->field[0], text, (size_t)length + 1) ||
        !write_word(r, r->parameter + r->s->word, (uint64_t)length))
        return fail_request(r, EFAULT);
    return 0;
}

/* Returns zeros: the program chooses its heap and stack. */
static int64_t sys_heapinfo(struct request *r)
{
    for (unsigned i = 0; i < MAX_WORDS; i++)
        if (!write_word(r, r->field[0] + i * r->s->word, 0))
            return fail_request(r, EFAULT);
    return 0;
}

static const struct operation {
    uint32_t number;
    unsigned words; /* fields of its parameter block */
    int64_t (*serve)(struct request *r);
} operations[] = {
    {0x01, 3, sys_open},     {0x02, 1, sys_close},         {0x03, 0, sys_writec},
    {0x04, 0, sys_write0},   {0x05, 3, sys_write},         {0x06, 3, sys_read},
    {0x07, 0, sys_readc},    {0x08, 1, sys_iserror},       {0x09, 1, sys_istty},
    {0x0a, 2, sys_seek},     {0x0c, 1, sys_flen},          {0x0e, 2, sys_remove},
    {0x0f, 4, sys_rename},   {0x10, 0, sys_clock},         {0x11, 0, sys_time},
    {0x13, 0, sys_errno},    {0x15, 2, sys_get_cmdline},   {0x16, 1, sys_heapinfo},
    {0x18, 0, sys_exit},     {0x20, 2, sys_exit_extended}, {0x30, 0, sys_elapsed},
    {0x31, 0, sys_tickfreq},
};

static const struct operation *find_operation(uint32_t number)
{
    for (unsigned i = 0; i < ARRAY_SIZE(operations); i++)
        if (operations[i].number == number)
            return &operations[i];
    return NULL;
}

/* Reads the fields of the parameter block. */
static bool read_block(struct request *r, unsigned words)
{
    uint8_t bytes[MAX_WORDS * 8] = {0};
    unsigned size = r->s->word;

    if (!cpu_memory_read(r->cpu, r->parameter, bytes, (uint64_t)words * size))
        return false;
    for (unsigned i = 0; i < words; i++)
        r->field[i] = le_get(bytes + i * size, size);
    return true;
}

static int64_t serve_request(struct request *r)
{
    const struct operation *op = find_operation(r->number);
    unsigned words = op ? op->words : 0;

    if (r->number == 0x18 && r->s->word == 8)
        words = 2;
    if (!op) {
        log_printf(&r->s->m->log, LOG_UNIMP, "semihosting: operation %#" PRIx32 "\n", r->number);
        return fail_request(r, ENOSYS);
    }
    if (!r->done && !read_block(r, words))
        return fail_request(r, EFAULT);
    return op->serve(r);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool stands_around(const struct semihosting *s, struct cpu *cpu)
{
    uint64_t pc = cpu_calling_pc(cpu);
    uint32_t before = 0, behind = 0;

    if (!s->word_before && !s->word_behind)
        return true;
    return cpu_memory_read(cpu, pc - sizeof(before), &before, sizeof(before)) &&
           cpu_memory_read(cpu, pc + sizeof(behind), &behind, sizeof(behind)) &&
           before == s->word_before && behind == s->word_behind;
}

bool semihosting_call(struct semihosting *s, struct cpu *cpu, uint32_t conduit)
{
    struct request *part = &s->continued[cpu_number(cpu)], r = {.s = s, .cpu = cpu};
    uint64_t args[PLATFORM_ARGS], result;

    if (conduit != s->conduit || !stands_around(s, cpu))
        return false;
    r.pc = cpu_calling_pc(cpu);
    if (cpu_is_repeated(cpu) && part->pc == r.pc) {
        r = *part; /* not read again: the transfer may overwrite the block */
        r.has_more = false;
    } else {
        platform_get_args(&s->m->info, cpu, args);
        r.number = (uint32_t)args[0];
        r.parameter = args[1];
    }
    result = (uint64_t)serve_request(&r);
    if (r.has_more) {
        *part = r;
        cpu_repeat(cpu, PART_PS);
        return true;
    }
    platform_set_results(&s->m->info, cpu, &result, 1);
    return true;
}

struct semihosting *semihosting_new(struct machine *m, struct error *err)
{
    const struct dt_node *node = dt_find(m->info.dt, "/gencc");
    struct semihosting *s = xcalloc(1, sizeof(*s));

    s->m = m;
    if (!dt_cell(m->info.dt, node, "semihosting", 0, &s->conduit) || m->info.arg_count < 2) {
        free(s);
        return error_null(err, "-semihosting: platform %s has none", m->platform->name);
    }
    dt_cell(m->info.dt, node, "semihosting-around", 0, &s->word_before);
    dt_cell(m->info.dt, node, "semihosting-around", 1, &s->word_behind);
    s->word = m->info.args[0].reg->elem_bits / 8;
    s->continued = xcalloc(m->cpu_count, sizeof(*s->continued));
    return s;
}

static void close_files(struct semihosting *s)
{
    for (unsigned i = 0; i < MAX_FILES; i++) {
        if (s->files[i].f)
            fclose(s->files[i].f);
        free(s->files[i].name);
        s->files[i] = (struct file){0};
    }
}

void semihosting_free(struct semihosting *s)
{
    if (!s)
        return;
    close_files(s);
    free(s->continued);
    free(s);
}

/* ---- snapshots ------------------------------------------------------------------------------- */

/* A file in a snapshot; `length` bytes of its name follow. */
struct saved_file {
    uint32_t handle, mode, length;
    int64_t place; /* -1: it has none */
};

static const struct state_field error_fields[] = {
    STATE_FIELD(struct semihosting, error),
    STATE_END,
};

void semihosting_save(const struct semihosting *s, struct state_buf *buf)
{
    struct state_buf files = {0};

    for (uint32_t i = 0; i < MAX_FILES; i++) {
        const struct file *file = &s->files[i];
        struct saved_file saved = {.handle = i, .mode = file->mode};

        if (!file->f)
            continue;
        saved.length = (uint32_t)strlen(file->name);
        saved.place = file->console ? -1 : ftell(file->f);
        state_put(&files, &saved, sizeof(saved));
        state_put(&files, file->name, saved.length);
    }
    state_save(buf, "semihosting", error_fields, s);
    state_save_bytes(buf, "files of semihosting", files.data, files.len);
    state_buf_free(&files);
}

/* false: the bytes are no file. */
static bool take_file(struct state_reader *from, struct saved_file *saved, char name[MAX_TEXT])
{
    if (!state_take(from, saved, sizeof(*saved)) || saved->handle >= MAX_FILES ||
        saved->mode >= MODES || saved->length >= MAX_TEXT || !state_take(from, name, saved->length))
        return false;
    name[saved->length] = 0;
    return true;
}

static void open_again(struct semihosting *s, const struct saved_file *saved, const char *name)
{
    struct file *file = &s->files[saved->handle];

    if (file->f)
        return; /* two files with a handle, which nothing has saved */
    *file = new_file(name, saved->mode, true);
    if (!file->f)
        return;
    file->name = xstrdup(name);
    if (saved->place >= 0)
        fseek(file->f, (long)saved->place, SEEK_SET);
}

bool semihosting_load(struct semihosting *s, const struct state_buf *buf, bool apply,
                      struct error *err)
{
    struct semihosting scratch = {0};
    struct state_reader from = {0};
    struct saved_file saved;
    char name[MAX_TEXT];

    from.at = state_bytes(buf, "files of semihosting", &from.left);
    if (!from.at || !state_load(buf, "semihosting", error_fields, &scratch, NULL))
        return error_set(err, "the snapshot has no state of semihosting");
    if (apply) {
        close_files(s);
        s->error = scratch.error;
    }
    while (from.left) {
        if (!take_file(&from, &saved, name))
            return error_set(err, "the snapshot's files of semihosting are damaged");
        if (apply)
            open_again(s, &saved, name);
    }
    return true;
}
