/* Kernel files, valid and hostile: Image, zImage, gzip, ELF, raw code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "runtime/base/bits.h"
#include "runtime/machine/loaders.h"

#define BANK      UINT64_C(0x80000000)
#define BANK_SIZE UINT64_C(0x4000000)
#define MB        (UINT64_C(1) << 20)

static char path[64];

static void write_file(const void *bytes, size_t len)
{
    int fd;

    strcpy(path, "/tmp/gencc-test-XXXXXX");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, len), len);
    close(fd);
}

/* Reads the file at `path` as a kernel for a protocol and a CPU of a byte order, and removes it.
 * Returns false with a message in *err. */
static bool try_file(const char *protocol, bool big_endian, struct kernel *k, struct error *err)
{
    bool ok;

    *err = (struct error){""};
    ok = kernel_read(path, boot_protocol_find(protocol), big_endian, k, err);
    if (!ok)
        assert_non_null(strstr(err->text, path));
    unlink(path);
    return ok;
}

/* Reads the bytes as a kernel file for a protocol. Returns false with a message in *err. */
static bool try_kernel_of(const char *protocol, const void *bytes, size_t len, struct kernel *k,
                          struct error *err)
{
    write_file(bytes, len);
    return try_file(protocol, false, k, err);
}

static bool try_kernel(const void *bytes, size_t len, struct kernel *k, struct error *err)
{
    return try_kernel_of("linux,arm64", bytes, len, k, err);
}

static void make_image(uint8_t *image, size_t len, uint64_t offset, uint64_t size)
{
    memset(image, 0x5a, len);
    le_put(image + 8, 8, offset);
    le_put(image + 16, 8, size);
    memcpy(image + 56, "ARM\x64", 4);
}

static void test_image(void **state)
{
    uint8_t image[4096], back[4096];
    struct error err = {""};
    struct kernel k;
    struct bus *bus = bus_new(NULL);

    (void)state;
    make_image(image, sizeof(image), 0x80000, 2 * MB);
    assert_true(try_kernel(image, sizeof(image), &k, &err));
    assert_string_equal(k.format->name, "arm64 Image");
    assert_false(k.gzipped);
    assert_true(kernel_place(&k, BANK, BANK_SIZE, &err));
    assert_int_equal(k.start, BANK + 0x80000);
    assert_int_equal(k.entry, k.start);
    assert_int_equal(k.end, k.start + 2 * MB);
    assert_non_null(bus_add_ram(bus, "ram", BANK, BANK_SIZE, &err));
    assert_true(kernel_load(&k, bus, &err));
    assert_true(bus_copy_from(bus, k.start, back, sizeof(back)));
    assert_memory_equal(back, image, sizeof(back));
    kernel_free(&k);
    bus_free(bus);
}

static void test_image_headers(void **state)
{
    uint8_t image[4096];
    struct error err;
    struct kernel k;

    (void)state;
    make_image(image, sizeof(image), 2 * MB, 2 * MB);
    assert_false(try_kernel(image, sizeof(image), &k, &err));
    assert_non_null(strstr(err.text, "text_offset"));
    make_image(image, sizeof(image), 0, UINT64_MAX);
    assert_false(try_kernel(image, sizeof(image), &k, &err));
    assert_non_null(strstr(err.text, "size"));
    make_image(image, sizeof(image), 0, 100); /* a signed image has bytes after its stated size */
    assert_true(try_kernel(image, sizeof(image), &k, &err));
    assert_int_equal(k.end - k.start, sizeof(image));
    kernel_free(&k);
    make_image(image, sizeof(image), 0, 0); /* before Linux 3.17 */
    assert_true(try_kernel(image, sizeof(image), &k, &err));
    assert_int_equal(k.start, 0x80000);
    kernel_free(&k);
    make_image(image, sizeof(image), 0, BANK_SIZE + 1);
    assert_true(try_kernel(image, sizeof(image), &k, &err));
    assert_false(kernel_place(&k, BANK, BANK_SIZE, &err));
    assert_non_null(strstr(err.text, "memory"));
    kernel_free(&k);
    make_image(image, sizeof(image), 0, 4096); /* 63 bytes are too short for a header: raw code */
    assert_true(try_kernel(image, 63, &k, &err));
    assert_ptr_equal(k.format, &kernel_raw);
    kernel_free(&k);
    assert_false(try_kernel(image, 0, &k, &err));
    assert_false(kernel_read("/nonexistent", boot_protocol_find("linux,arm64"), false, &k, &err));
    assert_false(kernel_read("/dev", boot_protocol_find("linux,arm64"), false, &k, &err));
}

/*
 * RISC-V's Image has the same header with another magic number, and is loaded after the firmware's
 * memory.
 */
static void test_riscv_image(void **state)
{
    uint8_t image[4096];
    struct error err;
    struct kernel k;

    (void)state;
    make_image(image, sizeof(image), 2 * MB, 3 * MB);
    memcpy(image + 56, "RSC\x05", 4);
    assert_true(try_kernel_of("linux,riscv", image, sizeof(image), &k, &err));
    assert_string_equal(k.format->name, "RISC-V Image");
    assert_true(kernel_place(&k, BANK, BANK_SIZE, &err));
    assert_int_equal(k.entry, BANK + 2 * MB);
    assert_int_equal(k.end, BANK + 5 * MB);
    kernel_free(&k);
    le_put(image + 16, 8, 0); /* without a size, the offset does not count either */
    assert_true(try_kernel_of("linux,riscv", image, sizeof(image), &k, &err));
    assert_int_equal(k.start, 2 * MB);
    assert_int_equal(k.end, 2 * MB + sizeof(image));
    kernel_free(&k);
    le_put(image + 16, 8, 3 * MB);
    le_put(image + 8, 8, 128 * MB);
    assert_false(try_kernel_of("linux,riscv", image, sizeof(image), &k, &err));
    assert_non_null(strstr(err.text, "text_offset"));
}

/*
 * A zImage whose table states its unpacked size: `unpacked` bytes with 0x2000 of bss, for 0x8000.
 */
static void make_zimage(uint8_t *image, size_t len, uint32_t unpacked)
{
    memset(image, 0x5a, len);
    le_put(image + 0x24, 4, 0x016f2818);
    le_put(image + 0x28, 4, 0);
    le_put(image + 0x2c, 4, len);
    le_put(image + 0x30, 4, 0x04030201);
    le_put(image + 0x34, 4, 0x45454545);
    le_put(image + 0x38, 4, 0x100); /* offset of the table, which has 5 words */
    le_put(image + 0x100, 4, 5);
    le_put(image + 0x104, 4, 0x5a534c4b);
    le_put(image + 0x108, 4, 0x200);
    le_put(image + 0x10c, 4, 0x2000);
    le_put(image + 0x110, 4, 0x8000);
    le_put(image + 0x200, 4, unpacked);
}

static void test_zimage(void **state)
{
    uint8_t image[4096];
    struct error err;
    struct kernel k;

    (void)state;
    make_zimage(image, sizeof(image), 10 * MB);
    assert_true(try_kernel_of("linux,arm", image, sizeof(image), &k, &err));
    assert_string_equal(k.format->name, "zImage");
    assert_true(kernel_place(&k, BANK, BANK_SIZE, &err));
    assert_int_equal(k.entry, BANK + 32 * MB);
    assert_int_equal(k.start, k.entry);
    assert_true(k.end > k.start + sizeof(image)); /* the decompressor needs additional room */
    kernel_free(&k);
    /* the zImage is placed after the memory that it unpacks to */
    make_zimage(image, sizeof(image), 40 * MB);
    assert_true(try_kernel_of("linux,arm", image, sizeof(image), &k, &err));
    assert_int_equal(k.entry, 41 * MB);
    kernel_free(&k);
    make_zimage(image, sizeof(image), 40 * MB - 0x9000); /* the bss reaches into the next MB */
    assert_true(try_kernel_of("linux,arm", image, sizeof(image), &k, &err));
    assert_int_equal(k.entry, 41 * MB);
    kernel_free(&k);
    /* the size is in the last word, the table before it */
    le_put(image + 0x108, 4, sizeof(image) - 4);
    le_put(image + sizeof(image) - 4, 4, 50 * MB);
    memmove(image + sizeof(image) - 24, image + 0x100, 20);
    le_put(image + 0x38, 4, sizeof(image) - 24);
    assert_true(try_kernel_of("linux,arm", image, sizeof(image), &k, &err));
    assert_int_equal(k.entry, 51 * MB);
    kernel_free(&k);
    make_zimage(image, sizeof(image), 40 * MB);
    le_put(image + 0x34, 4, 0); /* an old zImage, without a table */
    assert_true(try_kernel_of("linux,arm", image, sizeof(image), &k, &err));
    assert_int_equal(k.entry, 32 * MB);
    kernel_free(&k);
}

static void test_hostile_zimage(void **state)
{
    static const struct {
        unsigned at;
        uint32_t value;
        const char *message; /* NULL: accepted, and placed as one without a table */
    } cases[] = {
        {0x2c, 4097, "size"},
        {0x28, 1, NULL},
        {0x28, 4097, "size"},
        {0x30, 0x01020304, "little"},
        {0x38, 4080, NULL},
        {0x38, UINT32_MAX, NULL},
        {0x104, 0, NULL},
        {0x108, UINT32_MAX, NULL},
        {0x108, 4093, NULL},
        {0x110, UINT32_MAX, "unpacks"},
        {0x200, 0x7fffffff, "unpacks"},
    };
    uint8_t image[4096];
    struct error err;
    struct kernel k;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        make_zimage(image, sizeof(image), 10 * MB);
        le_put(image + cases[i].at, 4, cases[i].value);
        if (cases[i].message) {
            assert_false(try_kernel_of("linux,arm", image, sizeof(image), &k, &err));
            assert_non_null(strstr(err.text, cases[i].message));
            continue;
        }
        assert_true(try_kernel_of("linux,arm", image, sizeof(image), &k, &err));
        assert_int_equal(k.start, 32 * MB);
        kernel_free(&k);
    }
    make_zimage(image, sizeof(image), 10 * MB);
    /* too short for a header: raw code */
    assert_true(try_kernel_of("linux,arm", image, 59, &k, &err));
    assert_ptr_equal(k.format, &kernel_raw);
    kernel_free(&k);
}

/* Compresses `len` bytes as gzip. Returns the compressed length. */
static size_t compress_bytes(const uint8_t *bytes, size_t len, uint8_t *out, size_t cap)
{
    z_stream z = {0};
    size_t done;

    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (uint8_t *)(uintptr_t)bytes;
    z.avail_in = (uInt)len;
    z.next_out = out;
    z.avail_out = (uInt)cap;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    done = cap - z.avail_out;
    deflateEnd(&z);
    return done;
}

static void test_gzip(void **state)
{
    uint8_t image[65536], packed[65536];
    struct error err;
    struct kernel k;
    size_t len;

    (void)state;
    make_image(image, sizeof(image), 0, 2 * MB);
    len = compress_bytes(image, sizeof(image), packed, sizeof(packed));
    assert_true(try_kernel(packed, len, &k, &err));
    assert_true(k.gzipped);
    assert_string_equal(k.format->name, "arm64 Image");
    assert_int_equal(k.file.len, sizeof(image));
    assert_memory_equal(k.file.data, image, sizeof(image));
    kernel_free(&k);
    for (size_t cut = 3; cut < len; cut++)
        assert_false(try_kernel(packed, cut, &k, &err));
    packed[len / 2] ^= 0xff;
    assert_false(try_kernel(packed, len, &k, &err));
}

struct elf_file {
    Elf64_Ehdr eh;
    Elf64_Phdr ph[2];
    uint8_t code[256];
};

static void make_elf(struct elf_file *f)
{
    *f = (struct elf_file){
        .eh = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
               .e_type = ET_EXEC,
               .e_machine = EM_AARCH64,
               .e_version = EV_CURRENT,
               .e_entry = UINT64_C(0xffff000008080010),
               .e_phoff = offsetof(struct elf_file, ph),
               .e_ehsize = sizeof(Elf64_Ehdr),
               .e_phentsize = sizeof(Elf64_Phdr),
               .e_phnum = 2},
        .ph = {{.p_type = PT_LOAD,
                .p_offset = offsetof(struct elf_file, code),
                .p_vaddr = UINT64_C(0xffff000008080000),
                .p_paddr = BANK + 0x80000,
                .p_filesz = 256,
                .p_memsz = 0x1000},
               {.p_type = PT_NOTE}},
    };
    memset(f->code, 0xc3, sizeof(f->code));
}

static void test_elf(void **state)
{
    struct bus *bus = bus_new(NULL);
    struct elf_file f;
    struct error err;
    struct kernel k;
    uint64_t value;

    (void)state;
    make_elf(&f);
    assert_true(try_kernel(&f, sizeof(f), &k, &err));
    assert_ptr_equal(k.format, &kernel_elf);
    assert_true(kernel_place(&k, BANK, BANK_SIZE, &err));
    assert_int_equal(k.entry, BANK + 0x80010); /* physical address of the entry point */
    assert_int_equal(k.start, BANK + 0x80000);
    assert_int_equal(k.end, BANK + 0x81000);
    assert_non_null(bus_add_ram(bus, "ram", BANK, BANK_SIZE, &err));
    assert_true(kernel_load(&k, bus, &err));
    assert_true(bus_read(bus, BANK + 0x800ff, 1, &value, BUS_NO_CPU));
    assert_int_equal(value, 0xc3);
    assert_true(bus_read(bus, BANK + 0x80100, 1, &value, BUS_NO_CPU));
    assert_int_equal(value, 0);
    kernel_free(&k);
    bus_free(bus);
}

/* A file with `count` program headers, of which the last is loaded. */
static bool try_segments(unsigned count, struct kernel *k, struct error *err)
{
    struct {
        Elf64_Ehdr eh;
        Elf64_Phdr ph[65];
    } f;
    struct elf_file one;

    memset(&f, 0, sizeof(f));
    make_elf(&one);
    f.eh = one.eh;
    f.eh.e_phnum = (uint16_t)count;
    f.eh.e_phoff = sizeof(f.eh);
    for (unsigned i = 0; i < count; i++)
        f.ph[i].p_type = PT_NOTE;
    if (count) {
        f.ph[count - 1] = one.ph[0];
        /* the segment has no bytes in the file, which ends there */
        f.ph[count - 1].p_offset = sizeof(f);
        f.ph[count - 1].p_filesz = 0;
    }
    return try_kernel(&f, sizeof(f), k, err);
}

static void test_elf_segments(void **state)
{
    struct bus *bus = bus_new(NULL);
    struct elf_file f;
    struct error err;
    struct kernel k;

    (void)state;
    assert_true(try_segments(1, &k, &err));
    kernel_free(&k);
    assert_true(try_segments(64, &k, &err));
    assert_int_equal(k.start, BANK + 0x80000);
    assert_int_equal(k.end, BANK + 0x81000);
    kernel_free(&k);
    assert_false(try_segments(65, &k, &err));
    assert_non_null(strstr(err.text, "more than 64 segments"));
    assert_false(try_segments(0, &k, &err));
    assert_non_null(strstr(err.text, "no segments to load"));
    make_elf(&f);
    f.ph[0].p_memsz = f.ph[0].p_filesz = 0; /* no segment takes any room */
    assert_false(try_kernel(&f, sizeof(f), &k, &err));
    assert_non_null(strstr(err.text, "no segments to load"));
    make_elf(&f);
    f.ph[1] = f.ph[0]; /* two segments, the second at the lower address */
    f.ph[1].p_paddr -= 0x10000;
    f.ph[1].p_vaddr += 0x100000;
    assert_true(try_kernel(&f, sizeof(f), &k, &err));
    assert_int_equal(k.start, BANK + 0x70000);
    assert_int_equal(k.end, BANK + 0x81000);
    assert_int_equal(k.entry, BANK + 0x80010);
    assert_false(kernel_load(&k, bus, &err)); /* there is no memory for the second segment */
    assert_string_not_equal(err.text, "");
    assert_non_null(bus_add_ram(bus, "ram", BANK, 0x80000, &err));
    assert_false(kernel_load(&k, bus, &err)); /* the first segment does not fit, either */
    kernel_free(&k);
    bus_free(bus);
}

/*
 * Placement 2 MB before the end of memory, at 2 MB alignment; needed and available size, to the
 * byte.
 */
static void test_places(void **state)
{
    uint8_t image[4096];
    struct error err;
    struct kernel k;

    (void)state;
    make_image(image, sizeof(image), 0x80000, 2 * MB);
    assert_true(try_kernel(image, sizeof(image), &k, &err));
    assert_true(kernel_place(&k, BANK + MB, BANK_SIZE, &err));
    assert_int_equal(k.start, BANK + 2 * MB + 0x80000);
    kernel_free(&k);
    make_image(image, sizeof(image), 0, BANK_SIZE);
    assert_true(try_kernel(image, sizeof(image), &k, &err));
    assert_true(kernel_place(&k, BANK, BANK_SIZE, &err));
    kernel_free(&k);
    make_image(image, sizeof(image), 0, BANK_SIZE + 1);
    assert_true(try_kernel(image, sizeof(image), &k, &err));
    assert_false(kernel_place(&k, BANK, BANK_SIZE, &err));
    assert_string_equal(err.text, "the kernel needs memory 0x80000000..0x84000000, the machine has "
                                  "0x80000000..0x83ffffff");
    kernel_free(&k);
}

/* Kernels of other architectures are refused, by their format or by the ELF machine. */
static void test_foreign(void **state)
{
    static const struct {
        const char *protocol, *name;
        uint16_t machine;
    } elf[] = {{"linux,arm64", "x86", EM_X86_64},
               {"linux,arm64", "arm;", EM_ARM},
               {"linux,arm", "riscv", EM_RISCV},
               {"linux,riscv", "another architecture", EM_S390}};
    uint8_t image[4096];
    struct elf_file f;
    struct error err;
    struct kernel k;

    (void)state;
    make_image(image, sizeof(image), 2 * MB, 3 * MB);
    assert_false(try_kernel_of("linux,riscv", image, sizeof(image), &k, &err));
    assert_non_null(strstr(err.text, "of arm64; this machine starts those of riscv"));
    memset(image, 0, sizeof(image));
    memcpy(image + 0x202, "HdrS", 4);
    assert_false(try_kernel_of("linux,arm64", image, sizeof(image), &k, &err));
    assert_non_null(strstr(err.text, "of x86; this machine starts those of arm64"));
    for (size_t i = 0; i < sizeof(elf) / sizeof(*elf); i++) {
        make_elf(&f);
        f.eh.e_machine = elf[i].machine;
        assert_false(try_kernel_of(elf[i].protocol, &f, sizeof(f), &k, &err));
        assert_non_null(strstr(err.text, elf[i].name));
    }
}

static void test_hostile_elf(void **state)
{
    struct elf_file f;
    struct error err;
    struct kernel k;

    (void)state;
    make_elf(&f);
    f.ph[0].p_offset = UINT64_MAX - 10;
    assert_false(try_kernel(&f, sizeof(f), &k, &err));
    make_elf(&f);
    f.ph[0].p_filesz = sizeof(f);
    f.ph[0].p_memsz = sizeof(f);
    assert_false(try_kernel(&f, sizeof(f), &k, &err));
    make_elf(&f);
    f.ph[0].p_memsz = 1; /* less memory than file bytes */
    assert_false(try_kernel(&f, sizeof(f), &k, &err));
    make_elf(&f);
    f.ph[0].p_memsz = UINT64_C(1) << 50;
    assert_false(try_kernel(&f, sizeof(f), &k, &err));
    make_elf(&f);
    f.ph[0].p_paddr = UINT64_MAX - 100;
    assert_false(try_kernel(&f, sizeof(f), &k, &err));
    make_elf(&f);
    f.ph[0].p_type = PT_NULL;
    assert_false(try_kernel(&f, sizeof(f), &k, &err));
    make_elf(&f);
    f.eh.e_phnum = 1000;
    assert_false(try_kernel(&f, sizeof(f), &k, &err));
    make_elf(&f);
    f.eh.e_ident[EI_DATA] = ELFDATA2MSB; /* its numbers are not */
    assert_false(try_kernel(&f, sizeof(f), &k, &err));
    make_elf(&f);
    for (size_t len = 4; len < offsetof(struct elf_file, code) + 256; len += 3)
        assert_false(try_kernel(&f, len, &k, &err));
    make_elf(&f);
    f.ph[0].p_paddr = 0x1000; /* outside of the bank */
    assert_true(try_kernel(&f, sizeof(f), &k, &err));
    assert_false(kernel_place(&k, BANK, BANK_SIZE, &err));
    kernel_free(&k);
}

/* Each boot protocol has its own start registers. */
static void test_protocols(void **state)
{
    const struct boot_entry entry = {.dtb_at = 0x84000000, .cpu_id = 3};
    const struct boot_protocol *arm64 = boot_protocol_find("linux,arm64");
    const struct boot_protocol *arm = boot_protocol_find("linux,arm");
    const struct boot_protocol *riscv = boot_protocol_find("linux,riscv");
    uint64_t args[4] = {7, 7, 7, 7};

    (void)state;
    assert_null(boot_protocol_find("linux"));
    assert_non_null(arm64);
    assert_int_equal(arm64->arguments(&entry, args), 1);
    assert_int_equal(args[0], 0x84000000);
    assert_non_null(arm);
    assert_int_equal(arm->arguments(&entry, args), 3);
    assert_int_equal(args[0], 0);
    assert_int_equal(args[1], 0xffffffff);
    assert_int_equal(args[2], 0x84000000);
    assert_non_null(riscv);
    assert_int_equal(riscv->arguments(&entry, args), 2);
    assert_int_equal(args[0], 3);
    assert_int_equal(args[1], 0x84000000);
}

/* The text that a word of a vector in kseg0 points to. */
static void read_text(struct bus *bus, bool big_endian, uint64_t word, char *text, size_t size)
{
    uint8_t bytes[4];
    uint64_t at;

    assert_true(bus_copy_from(bus, word, bytes, sizeof(bytes)));
    at = big_endian ? be_get(bytes, 4) : le_get(bytes, 4);
    assert_int_equal(at >> 29, 4);
    assert_true(bus_copy_from(bus, at & 0x1fffffff, text, size));
}

/* What the vectors of arguments and environment point to. */
static void expect_vectors(struct bus *bus, bool big_endian, const uint64_t *args)
{
    char text[128];

    read_text(bus, big_endian, (args[1] & 0x1fffffff) + 4, text, sizeof(text));
    assert_string_equal(text, "rd_start=0x80800000 rd_size=512 console=ttyS0");
    read_text(bus, big_endian, args[2] & 0x1fffffff, text, sizeof(text));
    assert_string_equal(text, "memsize");
    read_text(bus, big_endian, (args[2] & 0x1fffffff) + 4, text, sizeof(text));
    assert_string_equal(text, "67108864");
}

/*
 * MIPS: an ELF file in kseg0 is loaded at physical addresses and started at its virtual entry. The
 * command line, the initial RAM disk and the size of memory are passed in vectors in memory.
 */
static void test_mips(void **state)
{
    static char longer[4096];
    struct boot_entry entry = {
        .initrd_at = 0x800000, .initrd_len = 512, .memory = 64 * MB, .command = "console=ttyS0"};
    const struct boot_protocol *mips = boot_protocol_find("linux,mips-yamon");
    struct bus *bus = bus_new(NULL);
    uint64_t args[8] = {0};
    struct elf_file f;
    struct error err;
    struct kernel k;

    (void)state;
    make_elf(&f);
    f.eh.e_machine = EM_MIPS;
    f.eh.e_entry = 0x80080010;
    f.ph[0].p_vaddr = f.ph[0].p_paddr = 0x80080000;
    assert_true(try_kernel_of("linux,mips-yamon", &f, sizeof(f), &k, &err));
    assert_true(kernel_place(&k, 0, 64 * MB, &err));
    assert_int_equal(k.start, 0x80000);
    assert_int_equal(k.entry, 0x80080010);
    assert_non_null(bus_add_ram(bus, "ram", 0, 64 * MB, &err));
    assert_true(kernel_load(&k, bus, &err));
    kernel_free(&k);
    assert_true(mips->prepare(&entry, bus, &err));
    assert_int_equal(mips->arguments(&entry, args), 4);
    assert_int_equal(args[0], 2);
    assert_int_equal(args[3], 64 * MB);
    expect_vectors(bus, false, args);
    entry.big_endian = true;
    assert_true(mips->prepare(&entry, bus, &err));
    expect_vectors(bus, true, args);
    memset(longer, 'x', sizeof(longer) - 1);
    entry.command = longer;
    assert_false(mips->prepare(&entry, bus, &err));
    assert_non_null(strstr(err.text, "longer than"));
    bus_free(bus);
}

/* Writes a big-endian kernel of 32 bits to a file: 4 bytes for 0x80080000, entered at +8. */
static void write_big_elf(void)
{
    struct {
        Elf32_Ehdr eh;
        Elf32_Phdr ph;
        uint8_t code[4];
    } f = {
        .eh = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2MSB, EV_CURRENT},
               .e_type = htobe16(ET_EXEC),
               .e_machine = htobe16(EM_MIPS),
               .e_version = htobe32(EV_CURRENT),
               .e_entry = htobe32(0x80080008),
               .e_phoff = htobe32(sizeof(Elf32_Ehdr)),
               .e_ehsize = htobe16(sizeof(Elf32_Ehdr)),
               .e_phentsize = htobe16(sizeof(Elf32_Phdr)),
               .e_phnum = htobe16(1)},
        .ph = {.p_type = htobe32(PT_LOAD),
               .p_offset = htobe32(sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr)),
               .p_vaddr = htobe32(0x80080000),
               .p_paddr = htobe32(0x80080000),
               .p_filesz = htobe32(4),
               .p_memsz = htobe32(0x1000)},
        .code = {1, 2, 3, 4},
    };

    write_file(&f, sizeof(f));
}

/* An ELF file has the byte order of the CPU; that of another architecture is said to be such. */
static void test_byte_orders(void **state)
{
    struct bus *bus = bus_new(NULL);
    uint8_t code[4];
    struct elf_file f;
    struct error err;
    struct kernel k;

    (void)state;
    write_big_elf();
    assert_true(try_file("linux,mips-yamon", true, &k, &err));
    assert_true(kernel_place(&k, 0, 64 * MB, &err));
    assert_int_equal(k.start, 0x80000);
    assert_int_equal(k.end, 0x81000);
    assert_int_equal(k.entry, 0x80080008);
    assert_non_null(bus_add_ram(bus, "ram", 0, 64 * MB, &err));
    assert_true(kernel_load(&k, bus, &err));
    assert_true(bus_copy_from(bus, 0x80000, code, sizeof(code)));
    assert_memory_equal(code, "\1\2\3\4", sizeof(code)); /* bytes are copied as they are */
    kernel_free(&k);
    bus_free(bus);
    write_big_elf();
    assert_false(try_file("linux,mips-yamon", false, &k, &err));
    assert_non_null(strstr(err.text, "a big-endian kernel; this machine's CPUs are little-endian"));
    write_big_elf();
    assert_false(try_file("linux,arm64", false, &k, &err));
    assert_non_null(strstr(err.text, "a kernel of mips; this machine starts those of arm64"));
    make_elf(&f);
    write_file(&f, sizeof(f));
    assert_false(try_file("linux,arm64", true, &k, &err));
    assert_non_null(strstr(err.text, "a little-endian kernel; this machine's CPUs are big-endian"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mips),      cmocka_unit_test(test_byte_orders),
        cmocka_unit_test(test_image),     cmocka_unit_test(test_image_headers),
        cmocka_unit_test(test_gzip),      cmocka_unit_test(test_elf),
        cmocka_unit_test(test_foreign),   cmocka_unit_test(test_hostile_elf),
        cmocka_unit_test(test_protocols), cmocka_unit_test(test_riscv_image),
        cmocka_unit_test(test_zimage),    cmocka_unit_test(test_hostile_zimage),
        cmocka_unit_test(test_places),    cmocka_unit_test(test_elf_segments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
