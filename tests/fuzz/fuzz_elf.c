/*
 * Programs for user mode: the input is an ELF file, loaded into an address space and not executed.
 * What it names as its interpreter is the input again, or nothing.
 */
#include "runtime/user/abi.h"
#include "runtime/user/user.h"
#include "tests/fuzz/fuzz_file.h"

#include <elf.h>

const struct user_abi user_abi = {
    .machine = "AArch64", .elf_machine = EM_AARCH64, .word_bytes = 8, .address_bits = 39};

static void load_program(const char *path)
{
    struct user_options options = {.sysroot = NULL};
    const struct space_shape shape = {.bits = user_abi.address_bits};
    struct process p = {.options = &options};
    struct image image;
    struct error err;

    p.bus = bus_new(NULL);
    if (space_init(&p.space, p.bus, &p.group, &shape, &err)) {
        elf_is_ours(path);
        elf_load(&p, path, &image, &err);
        space_free(&p.space);
    }
    bus_free(p.bus);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_file(data, size, load_program);
}
