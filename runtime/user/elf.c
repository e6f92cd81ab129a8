/* Loads ELF programs, position-independent or not, and their interpreter. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/bits.h"
#include "runtime/user/user.h"

#define MAX_PHDRS 64

/* Address of position-independent programs: two thirds of the address space, as on Linux. */
#define PIE_SHARE(size) ((size) / 3 * 2)

struct file {
    int fd;
    const char *path;
    uint64_t size;
    Elf64_Ehdr header;
    Elf64_Phdr phdr[MAX_PHDRS];
};

static bool read_at(const struct file *f, void *buf, uint64_t len, uint64_t offset)
{
    return offset <= f->size && len <= f->size - offset &&
           pread(f->fd, buf, len, (off_t)offset) == (ssize_t)len;
}

/* ---- both classes ---------------------------------------------------------------------------- */

static bool is_narrow(void)
{
    return user_abi.word_bytes == 4;
}

/* Put the numbers of a file's header, and of a program header, into the host's order. */
#define SWAP(m) guest_order(&(m), sizeof(m))
#define SWAP_HEADER(h)                                                                       \
    (SWAP((h)->e_type), SWAP((h)->e_machine), SWAP((h)->e_version), SWAP((h)->e_entry),      \
     SWAP((h)->e_phoff), SWAP((h)->e_shoff), SWAP((h)->e_flags), SWAP((h)->e_ehsize),        \
     SWAP((h)->e_phentsize), SWAP((h)->e_phnum), SWAP((h)->e_shentsize), SWAP((h)->e_shnum), \
     SWAP((h)->e_shstrndx))
#define SWAP_PHDR(h)                                                                 \
    (SWAP((h)->p_type), SWAP((h)->p_flags), SWAP((h)->p_offset), SWAP((h)->p_vaddr), \
     SWAP((h)->p_paddr), SWAP((h)->p_filesz), SWAP((h)->p_memsz), SWAP((h)->p_align))

static void swap_header(void *header)
{
    if (is_narrow())
        SWAP_HEADER((Elf32_Ehdr *)header);
    else
        SWAP_HEADER((Elf64_Ehdr *)header);
}

static void swap_phdr(void *header)
{
    if (is_narrow())
        SWAP_PHDR((Elf32_Phdr *)header);
    else
        SWAP_PHDR((Elf64_Phdr *)header);
}

/* Reads the header, widened to ELF64; false: no program of this ABI. */
static bool read_header(const struct file *f, Elf64_Ehdr *h)
{
    Elf32_Ehdr narrow;

    if (!read_at(f, is_narrow() ? (void *)&narrow : h, is_narrow() ? sizeof(narrow) : sizeof(*h),
                 0))
        return false;
    swap_header(is_narrow() ? (void *)&narrow : h);
    if (is_narrow()) {
        *h = (Elf64_Ehdr){
            .e_type = narrow.e_type,
            .e_machine = narrow.e_machine,
            .e_entry = narrow.e_entry,
            .e_phoff = narrow.e_phoff,
            .e_phentsize = narrow.e_phentsize,
            .e_phnum = narrow.e_phnum,
            .e_flags = narrow.e_flags,
        };
        memcpy(h->e_ident, narrow.e_ident, sizeof(h->e_ident));
    }
    return !memcmp(h->e_ident, ELFMAG, SELFMAG) &&
           h->e_ident[EI_CLASS] == (is_narrow() ? ELFCLASS32 : ELFCLASS64) &&
           h->e_ident[EI_DATA] == (user_abi.big_endian ? ELFDATA2MSB : ELFDATA2LSB) &&
           h->e_machine == user_abi.elf_machine &&
           (h->e_flags & user_abi.elf_flags_mask) == user_abi.elf_flags &&
           (h->e_type == ET_EXEC || h->e_type == ET_DYN);
}

/* Reads all program headers, widened to ELF64. */
static bool read_phdrs(struct file *f)
{
    Elf32_Phdr narrow[MAX_PHDRS];
    unsigned count = f->header.e_phnum, bytes = is_narrow() ? sizeof(*narrow) : sizeof(*f->phdr);

    if (f->header.e_phentsize != bytes || !count || count > MAX_PHDRS ||
        !read_at(f, is_narrow() ? (void *)narrow : f->phdr, count * bytes, f->header.e_phoff))
        return false;
    for (unsigned n = 0; n < count; n++)
        swap_phdr(is_narrow() ? (void *)&narrow[n] : (void *)&f->phdr[n]);
    for (unsigned n = 0; is_narrow() && n < count; n++) {
        f->phdr[n] = (Elf64_Phdr){
            .p_type = narrow[n].p_type,
            .p_flags = narrow[n].p_flags,
            .p_offset = narrow[n].p_offset,
            .p_vaddr = narrow[n].p_vaddr,
            .p_filesz = narrow[n].p_filesz,
            .p_memsz = narrow[n].p_memsz,
        };
    }
    return true;
}

bool elf_is_ours(const char *path)
{
    struct file f = {.fd = open(path, O_RDONLY | O_CLOEXEC), .size = UINT64_MAX};
    bool ours = f.fd >= 0 && read_header(&f, &f.header);

    if (f.fd >= 0)
        close(f.fd);
    return ours;
}

static bool open_file(struct file *f, const char *path, struct error *err)
{
    struct stat st;

    *f = (struct file){.fd = open(path, O_RDONLY | O_CLOEXEC), .path = path};
    if (f->fd < 0 || fstat(f->fd, &st))
        return error_set(err, "%s: %s", path, strerror(errno));
    f->size = (uint64_t)st.st_size;
    if (!S_ISREG(st.st_mode))
        return error_set(err, "%s is not a regular file", path);
    if (!read_header(f, &f->header))
        return error_set(err, "%s is not a %u-bit, %s-endian ELF program for %s", path,
                         8 * user_abi.word_bytes, user_abi.big_endian ? "big" : "little",
                         user_abi.machine);
    if (!read_phdrs(f))
        return error_set(err, "%s: the ELF program headers are damaged", path);
    return true;
}

/* ---- segments -------------------------------------------------------------------------------- */

/* The file's own addresses, from the start of its first to the end of its last segment. */
static bool find_extent(const struct file *f, uint64_t *low, uint64_t *high, struct error *err)
{
    *low = UINT64_MAX;
    *high = 0;
    for (unsigned n = 0; n < f->header.e_phnum; n++) {
        const Elf64_Phdr *ph = &f->phdr[n];

        if (ph->p_type != PT_LOAD || !ph->p_memsz)
            continue;
        if (ph->p_filesz > ph->p_memsz || ph->p_vaddr >> 47 || ph->p_memsz >> 47 ||
            (ph->p_vaddr - ph->p_offset) % CPU_PAGE_SIZE ||
            /* A segment without bytes in the file may begin behind the file's end. */
            (ph->p_filesz && (ph->p_offset > f->size || ph->p_filesz > f->size - ph->p_offset)))
            return error_set(err, "%s: segment %u is damaged", f->path, n);
        *low = ph->p_vaddr < *low ? ph->p_vaddr : *low;
        *high = ph->p_vaddr + ph->p_memsz > *high ? ph->p_vaddr + ph->p_memsz : *high;
    }
    if (*low >= *high)
        return error_set(err, "%s has nothing to load", f->path);
    *low = align_down(*low, CPU_PAGE_SIZE);
    *high = align_up(*high, CPU_PAGE_SIZE);
    return true;
}

static int segment_protection(const Elf64_Phdr *ph)
{
    return (ph->p_flags & PF_R ? PROT_READ : 0) | (ph->p_flags & PF_W ? PROT_WRITE : 0) |
           (ph->p_flags & PF_X ? PROT_EXEC : 0);
}

/* Whether all of a segment's pages are pages of the file, which the program does not write to. */
static bool is_mappable(const Elf64_Phdr *ph)
{
    return !(ph->p_flags & PF_W) && ph->p_filesz == ph->p_memsz;
}

/* Maps a segment's pages of the file; false: the host does not. */
static bool map_segment(struct space *s, const struct file *f, const Elf64_Phdr *ph, uint64_t start,
                        uint64_t len)
{
    const struct space_source source = {
        .fd = f->fd, .offset = align_down(ph->p_offset, CPU_PAGE_SIZE), .name = f->path};

    return space_map(s, start, len, segment_protection(ph), MAP_PRIVATE | MAP_FIXED, &source) >= 0;
}

/* Maps the file's pages of a segment, or anonymous memory to which the file's bytes are copied. */
static bool load_segment(struct space *s, const struct file *f, const Elf64_Phdr *ph, uint64_t bias,
                         struct error *err)
{
    uint64_t start = align_down(ph->p_vaddr + bias, CPU_PAGE_SIZE);
    uint64_t end = align_up(ph->p_vaddr + bias + ph->p_memsz, CPU_PAGE_SIZE);
    void *to;
    int64_t at;

    if (is_mappable(ph) && map_segment(s, f, ph, start, end - start))
        return true;
    at =
        space_map(s, start, end - start, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, &(struct space_source){.name = f->path});
    to = at < 0 ? NULL : space_write(s, ph->p_vaddr + bias, ph->p_filesz);
    if (at < 0)
        return error_set(err, "%s: a segment cannot be mapped at %#" PRIx64 ": %s", f->path, start,
                         strerror((int)-at));
    if (ph->p_filesz && (!to || !read_at(f, to, ph->p_filesz, ph->p_offset)))
        return error_set(err, "%s: cannot be read", f->path);
    if (space_protect(s, start, end - start, segment_protection(ph)))
        return error_set(err, "%s: a segment cannot be protected", f->path);
    return true;
}

/* Maps all segments of the file; *end is the end of the last segment. */
static bool load_file(struct space *s, const struct file *f, uint64_t where, uint64_t *bias,
                      uint64_t *end, struct error *err)
{
    uint64_t low, high;

    if (!find_extent(f, &low, &high, err))
        return false;
    *bias = f->header.e_type == ET_DYN ? where - low : 0;
    if (high + *bias > s->map_top || low + *bias >= s->map_top)
        return error_set(err, "%s does not fit into the address space", f->path);
    for (unsigned n = 0; n < f->header.e_phnum; n++) {
        const Elf64_Phdr *ph = &f->phdr[n];

        if (ph->p_type == PT_LOAD && ph->p_memsz && !load_segment(s, f, ph, *bias, err))
            return false;
    }
    *end = high + *bias;
    return true;
}

/* Address of the program headers in memory, for AT_PHDR; 0: not loaded. */
static uint64_t find_phdrs(const struct file *f, uint64_t bias)
{
    for (unsigned n = 0; n < f->header.e_phnum; n++) {
        const Elf64_Phdr *ph = &f->phdr[n];

        if (ph->p_type == PT_LOAD && f->header.e_phoff >= ph->p_offset &&
            f->header.e_phoff - ph->p_offset < ph->p_filesz)
            return f->header.e_phoff - ph->p_offset + ph->p_vaddr + bias;
    }
    return 0;
}

/* ---- the interpreter of a dynamic program ---------------------------------------------------- */

static bool load_interpreter(struct process *p, const struct file *program, const Elf64_Phdr *ph,
                             struct image *image, struct error *err)
{
    char name[256] = "", buf[PATH_BYTES];
    uint64_t bias = 0, end;
    struct file f;
    int64_t at;
    bool ok;

    if (ph->p_filesz >= sizeof(name) || !read_at(program, name, ph->p_filesz, ph->p_offset))
        return error_set(err, "%s: the interpreter's name is damaged", program->path);
    ok = open_file(&f, path_in_root(p, name, buf), err);
    if (ok) {
        /* A mapping of at least the file's size finds a free place. */
        at = space_map(&p->space, 0, align_up(f.size, CPU_PAGE_SIZE) + (UINT64_C(1) << 20),
                       PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, &(struct space_source){0});
        ok = at > 0 && load_file(&p->space, &f, (uint64_t)at, &bias, &end, err);
        image->interpreter_base = bias;
        image->start = f.header.e_entry + bias;
    }
    if (f.fd >= 0)
        close(f.fd);
    if (!ok)
        error_prefix(err, "%s needs an interpreter (see -L): ", program->path);
    return ok;
}

/* PT_GNU_STACK sets whether the stack is executable. Without it, readable memory may be executable
 * (user_abi.exec_by_default). The interpreter's header is ignored. */
static void read_stack_header(struct process *p, const struct file *f, struct image *image)
{
    bool given = false;

    image->executable_stack = false;
    for (unsigned n = 0; n < f->header.e_phnum; n++) {
        if (f->phdr[n].p_type != PT_GNU_STACK)
            continue;
        given = true;
        image->executable_stack = f->phdr[n].p_flags & PF_X;
    }
    p->personality = user_abi.personality;
    if (!given && user_abi.exec_by_default)
        p->personality |= READ_IMPLIES_EXEC;
    p->space.read_implies_exec = p->personality & READ_IMPLIES_EXEC;
}

bool elf_load(struct process *p, const char *path, struct image *image, struct error *err)
{
    struct file f;
    uint64_t bias;
    bool ok = open_file(&f, path, err);

    if (ok) {
        read_stack_header(p, &f, image);
        ok = load_file(&p->space, &f, PIE_SHARE(p->space.size) & ~CPU_PAGE_MASK, &bias, &image->end,
                       err);
    }

    if (ok) {
        image->base = bias;
        image->start = image->entry = f.header.e_entry + bias;
        image->interpreter_base = 0;
        image->phdr = find_phdrs(&f, bias);
        image->phdr_count = f.header.e_phnum;
    }
    for (unsigned n = 0; ok && n < f.header.e_phnum; n++) {
        if (f.phdr[n].p_type == PT_INTERP)
            ok = load_interpreter(p, &f, &f.phdr[n], image, err);
    }
    if (f.fd >= 0)
        close(f.fd);
    return ok;
}
