/*
 * The address space of a user-mode process.
 *
 * Guest addresses are bus addresses: one RAM region, reserved on the host, covers all addresses
 * that a process may use. A sorted list of areas has the mappings and their permissions. The host
 * has the same mappings, also of files, with the guest's permissions (space_host.h).
 */
#ifndef RUNTIME_USER_SPACE_H
#define RUNTIME_USER_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "common/vec.h"
#include "runtime/cpu/group.h"
#include "runtime/mem/flat.h"

/* Lowest address of a mapping: Linux's vm.mmap_min_addr. */
#define SPACE_LOWEST UINT64_C(0x10000)

/* Results of space_translate() besides 0. */
enum space_fault {
    SPACE_NOT_MAPPED = 1,
    SPACE_NOT_ALLOWED = 2,
    SPACE_PAST_FILE = 3, /* a mapped page behind the end of its file */
};

struct area {
    uint64_t start, end; /* multiples of the page size */
    int prot;            /* PROT_* */
    bool shared;         /* MAP_SHARED */
    bool backed;         /* by a file, or by memory that processes share */
    bool read_only_file; /* shared, of a file that is not open for writing */
    bool segment;        /* attached by shmat() */
    bool is_past_file;   /* behind the end of the file: SIGBUS */
    char *name;          /* for /proc/self/maps; NULL: anonymous */
    uint64_t offset;     /* offset in the file, or in the segment */
};

struct space {
    struct bus *bus;
    uint8_t *host;               /* host address of guest address 0 */
    uint64_t size;               /* addresses 0 .. size - 1 */
    uint64_t top;                /* end of the first stack */
    uint64_t stack;              /* start of the first stack; for mprotect() it grows down */
    bool tagged;                 /* the top byte of data addresses is ignored */
    bool read_implies_exec;      /* new readable mappings are executable */
    struct reservation reserved; /* the host's reserved range, which contains `host` */
    bool flat;                   /* translated code may access `host` directly */
    VEC(struct area) areas;
    uint64_t brk_start, brk, brk_limit;
    uint64_t map_top;              /* mappings without an address are placed below */
    const struct cpu_group *group; /* CPUs of this space, whose TLBs are flushed */
};

/* Parameters of an ABI's address space. */
struct space_shape {
    unsigned bits;      /* number of address bits, at least 32 */
    uint64_t stack_top; /* 0: one page below the end */
    bool tagged;
    bool checked; /* no flat memory: every access is checked */
};

/*
 * Makes an empty space on its own bus, which must outlive the space. The space is smaller than
 * requested if the host cannot reserve the addresses.
 */
bool space_init(struct space *s, struct bus *bus, const struct cpu_group *group,
                const struct space_shape *shape, struct error *err);
void space_free(struct space *s);

/* Tells a CPU of the group whether memory is flat, and where. The space tells all of them when it
 * gives up flat memory. */
void space_set_flat(const struct space *s, struct cpu *cpu);

/* A data address without the tag in its top byte, which Linux ignores in the user half. */
static inline uint64_t space_untag(const struct space *s, uint64_t va)
{
    return !s->tagged || va >> 55 & 1 ? va : va & ((UINT64_C(1) << 56) - 1);
}

/* struct cpu_hooks.translate for a space. */
uint32_t space_translate(struct space *s, uint64_t va, uint32_t access, uint64_t *pa,
                         uint32_t *flags);

/*
 * The host address of [va, va + len); NULL: not all of the range is mapped for the access. With
 * `len` 0, the pointer must not be used. Call space_write() before changing memory, since it drops
 * decoded code of the range.
 */
void *space_read(struct space *s, uint64_t va, uint64_t len);
void *space_write(struct space *s, uint64_t va, uint64_t len);
/* A string in guest memory; NULL: its end is not mapped. */
const char *space_string(struct space *s, uint64_t va);

/* A request to map memory. */
struct space_source {
    int fd; /* ignored for an anonymous mapping */
    uint64_t offset;
    const char *name; /* what /proc/self/maps shows (copied); NULL: nothing */
};

/*
 * The system calls. Results are addresses, 0, or a negative errno. Flags and protections are
 * Linux's common ones.
 */
int64_t space_map(struct space *s, uint64_t va, uint64_t len, int prot, int flags,
                  const struct space_source *source);
int64_t space_unmap(struct space *s, uint64_t va, uint64_t len);
int64_t space_protect(struct space *s, uint64_t va, uint64_t len, int prot);
int64_t space_remap(struct space *s, uint64_t va, uint64_t old_len, uint64_t new_len, int flags,
                    uint64_t new_va);
int64_t space_advise(struct space *s, uint64_t va, uint64_t len, int advice);
/* shmat() of `bytes` bytes with its flags, and shmdt(). `va` 0: anywhere. */
int64_t space_attach(struct space *s, uint64_t va, uint64_t bytes, int flags, int id);
int64_t space_detach(struct space *s, uint64_t va);
uint64_t space_brk(struct space *s, uint64_t brk);

/* The area that holds the address, or NULL. */
const struct area *space_find(const struct space *s, uint64_t va);

/* Whether any of a file's `bytes` bytes from `offset` on is mapped. The name tells the file. */
bool space_maps_file(const struct space *s, const char *name, uint64_t offset, uint64_t bytes);

/*
 * For signal handlers: replaces a page by zeros whose mapped file has become shorter, so that the
 * host has no memory for it. False: `host` is not in a page of the guest.
 */
bool space_page_lost(struct space *s, const void *host);

/* Writes the text of /proc/self/maps. */
void space_print(const struct space *s, FILE *out);

#endif
