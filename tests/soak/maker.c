/*
 * Makes programs, runs and deletes them, and checks their results:
 *
 *     maker ROUND          one round; prints its digest, and the guest's time
 *     maker -e FIRST COUNT prints the digests of rounds by evaluation alone, on any machine
 *
 * A round's programs run as executables in processes of their own, as code in one page that is
 * written again and again, and as code in pages at the same address in children. Status 1: a result
 * differs from the evaluation.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

enum { PROGRAMS = 24, TOGETHER = 4, PAGE = 4096 };

static void exit_with_errno(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(2);
}

static uint64_t seed_of(unsigned round, unsigned n)
{
    return (uint64_t)round << 16 | n;
}

static uint64_t hash_state(uint64_t sum, const struct state *s)
{
    const uint8_t *p = (const uint8_t *)s;

    for (size_t n = 0; n < sizeof(*s); n++)
        sum = (sum ^ p[n]) * UINT64_C(0x100000001b3);
    return sum;
}

static void evaluate_rounds(unsigned first, unsigned count)
{
    for (unsigned round = first; round < first + count; round++) {
        uint64_t sum = 0;

        for (unsigned n = 0; n < PROGRAMS; n++) {
            struct program p;
            struct state s;

            program_make(&p, seed_of(round, n));
            program_evaluate(&p, &s);
            sum = hash_state(sum, &s);
        }
        printf("round %u digest %016" PRIx64 "\n", round, sum);
    }
}

/* ---- ways to run a program ------------------------------------------------------------------- */

/* A process, and the pipe that returns its result. */
struct job {
    pid_t pid;
    int from;
};

static struct job collected_later(pid_t (*start)(const struct program *, unsigned),
                                  const struct program *p, unsigned n)
{
    struct job job;
    int fds[2], kept;

    if (pipe(fds) || (kept = dup(STDOUT_FILENO)) < 0 || dup2(fds[1], STDOUT_FILENO) < 0)
        exit_with_errno("pipe");
    close(fds[1]);
    job.pid = start(p, n);
    job.from = fds[0];
    dup2(kept, STDOUT_FILENO);
    close(kept);
    return job;
}

static void collect_state(const struct job *job, struct state *s)
{
    size_t len = 0;
    ssize_t n;
    int status;

    while (len < sizeof(*s) && (n = read(job->from, (char *)s + len, sizeof(*s) - len)) > 0)
        len += (size_t)n;
    close(job->from);
    if (waitpid(job->pid, &status, 0) < 0 || status || len != sizeof(*s)) {
        printf("process %d left %zu bytes and status %#x\n", (int)job->pid, len, (unsigned)status);
        memset(s, 0, sizeof(*s));
    }
}

/*
 * The one segment of an executable: headers, start code that calls the program, the program, its
 * state.
 */
struct image {
    Elf64_Ehdr elf;
    Elf64_Phdr segment;
    uint32_t start[16];
    uint32_t code[MAX_CODE];
    struct state state;
};

static void make_image(struct image *i, const struct program *p)
{
    const uint64_t base = 0x400000;
    const uint32_t state = offsetof(struct image, state) - offsetof(struct image, start);
    const uint32_t start[] = {
        0x10000000u | state / 4 << 5 | 19, /* adr x19, state */
        0xaa1303e0,                        /* mov x0, x19 */
        0x94000000u + 16 - 2,              /* bl code */
        0xd2800020,                        /* write(1, state, its size) */
        0xaa1303e1,
        0xd2800002u | sizeof(struct state) << 5,
        0xd2800808,
        0xd4000001,
        0xd2800000, /* exit(0) */
        0xd2800ba8,
        0xd4000001,
    };

    memset(i, 0, sizeof(*i));
    memcpy(i->elf.e_ident, ELFMAG, SELFMAG);
    i->elf.e_ident[EI_CLASS] = ELFCLASS64;
    i->elf.e_ident[EI_DATA] = ELFDATA2LSB;
    i->elf.e_ident[EI_VERSION] = EV_CURRENT;
    i->elf.e_type = ET_EXEC;
    i->elf.e_machine = EM_AARCH64;
    i->elf.e_version = EV_CURRENT;
    i->elf.e_entry = base + offsetof(struct image, start);
    i->elf.e_phoff = offsetof(struct image, segment);
    i->elf.e_ehsize = sizeof(i->elf);
    i->elf.e_phentsize = sizeof(i->segment);
    i->elf.e_phnum = 1;
    i->segment = (Elf64_Phdr){.p_type = PT_LOAD,
                              .p_flags = PF_R | PF_W | PF_X,
                              .p_vaddr = base,
                              .p_filesz = sizeof(*i),
                              .p_memsz = sizeof(*i),
                              .p_align = PAGE};
    memcpy(i->start, start, sizeof(start));
    program_encode(p, i->code);
    i->state = p->start;
}

/* Starts a program as an executable file, which is deleted while it runs. */
static pid_t start_file(const struct program *p, unsigned n)
{
    static struct image image;
    char name[32], *arguments[] = {name, NULL};
    int fd;
    pid_t pid;

    snprintf(name, sizeof(name), "/tmp/made-%u", n);
    make_image(&image, p);
    fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    if (fd < 0 || write(fd, &image, sizeof(image)) != (ssize_t)sizeof(image) || close(fd))
        exit_with_errno(name);
    pid = vfork();
    if (pid < 0)
        exit_with_errno("vfork");
    if (!pid) {
        execv(name, arguments);
        _exit(126);
    }
    unlink(name);
    return pid;
}

/* Overwrites `page` with the program's code and calls it. */
static void run_at(void *page, const struct program *p, struct state *s)
{
    size_t bytes = program_encode(p, page) * sizeof(uint32_t);

    __builtin___clear_cache(page, (char *)page + bytes);
    *s = p->start;
    ((void (*)(struct state *))page)(s);
}

static void *code_pages(void)
{
    void *page = mmap(NULL, MAX_CODE * sizeof(uint32_t), PROT_READ | PROT_WRITE | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (page == MAP_FAILED)
        exit_with_errno("mmap");
    return page;
}

/* The page that parent and children have at the same address, each with its own code. */
static void *shared_name;

static pid_t start_child(const struct program *p, unsigned n)
{
    struct state s;
    pid_t pid = fork();

    (void)n;
    if (pid < 0)
        exit_with_errno("fork");
    if (pid)
        return pid;
    run_at(shared_name, p, &s);
    if (write(STDOUT_FILENO, &s, sizeof(s)) != (ssize_t)sizeof(s))
        _exit(1);
    _exit(0);
}

static void run_fresh(const struct program *p, struct state *s)
{
    void *page = code_pages();

    run_at(page, p, s);
    munmap(page, MAX_CODE * sizeof(uint32_t));
}

/* ---- a round --------------------------------------------------------------------------------- */

/*
 * Runs TOGETHER programs at once: as executables, as children, or in this process one after the
 * other.
 */
static void run_group(const struct program *p, struct state *s, unsigned first)
{
    const unsigned way = first / TOGETHER % 4;
    struct job jobs[TOGETHER];

    for (unsigned n = 0; n < TOGETHER; n++) {
        if (way == 0 || way == 2)
            jobs[n] = collected_later(way ? start_child : start_file, &p[n], first + n);
        else if (way == 1)
            run_at(shared_name, &p[n], &s[n]);
        else
            run_fresh(&p[n], &s[n]);
    }
    for (unsigned n = 0; n < TOGETHER && way % 2 == 0; n++)
        collect_state(&jobs[n], &s[n]);
}

static int run_round(unsigned round)
{
    static struct program programs[PROGRAMS];
    static struct state got[PROGRAMS];
    struct timespec now;
    uint64_t sum = 0;
    int status = 0;

    shared_name = code_pages();
    for (unsigned n = 0; n < PROGRAMS; n++)
        program_make(&programs[n], seed_of(round, n));
    for (unsigned n = 0; n < PROGRAMS; n += TOGETHER)
        run_group(&programs[n], &got[n], n);
    for (unsigned n = 0; n < PROGRAMS; n++) {
        struct state want;

        program_evaluate(&programs[n], &want);
        sum = hash_state(sum, &got[n]);
        if (memcmp(&want, &got[n], sizeof(want))) {
            printf("round %u: program %u is wrong\n", round, n);
            status = 1;
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("round %u digest %016" PRIx64 " at %lld.%09ld\n", round, sum, (long long)now.tv_sec,
           now.tv_nsec);
    return status;
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "-e")) {
        evaluate_rounds((unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]));
        return 0;
    }
    if (argc == 2)
        return run_round((unsigned)atoi(argv[1]));
    fprintf(stderr, "usage: %s ROUND | -e FIRST COUNT\n", argv[0]);
    return 2;
}
