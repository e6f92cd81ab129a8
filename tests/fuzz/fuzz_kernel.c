/*
 * Kernel images of each boot protocol (raw, compressed, ELF): read from a file, placed, and loaded
 * into memory.
 */
#include "runtime/machine/loaders.h"
#include "tests/fuzz/fuzz_file.h"

enum { BANK = 64 << 20 };

static void load_by(const char *protocol, bool big_endian, const char *path)
{
    const uint64_t base = UINT64_C(0x80000000);
    struct error err;
    struct kernel kernel = {0};
    struct bus *bus;

    if (!kernel_read(path, boot_protocol_find(protocol), big_endian, &kernel, &err))
        return;
    bus = bus_new(NULL);
    if (bus_add_ram(bus, "ram", base, BANK, &err) && kernel_place(&kernel, base, BANK, &err))
        kernel_load(&kernel, bus, &err);
    bus_free(bus);
    kernel_free(&kernel);
}

static void load_by_all(const char *path)
{
    load_by("linux,arm64", false, path);
    load_by("linux,arm", false, path);
    load_by("linux,riscv", false, path);
    load_by("linux,mips-yamon", true, path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_file(data, size, load_by_all);
}
