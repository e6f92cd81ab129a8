/*
 * Linux on x86: the format bzImage. It is recognised so that the error names it; no machine here
 * can start it.
 *
 * Source: Linux Documentation/arch/x86/boot.rst, "The real-mode kernel header".
 */
#include <elf.h>
#include <string.h>

#include "runtime/machine/loaders.h"

#define HEADER_MAGIC    "HdrS"
#define HEADER_MAGIC_AT 0x202u

static bool is_bzimage(const struct file_bytes *file)
{
    return file->len >= HEADER_MAGIC_AT + strlen(HEADER_MAGIC) &&
           !memcmp(file->data + HEADER_MAGIC_AT, HEADER_MAGIC, strlen(HEADER_MAGIC));
}

static const struct kernel_format bzimage = {.name = "bzImage", .matches = is_bzimage};
static const char *const compatible[] = {NULL};
static const struct kernel_format *const formats[] = {&bzimage, NULL};

const struct boot_protocol boot_x86 = {
    .architecture = "x86",
    .elf_machines = {EM_X86_64, EM_386},
    .compatible = compatible,
    .formats = formats,
};
