/*
 * The Debug Adapter Protocol: what an editor sends while a small snapshot is debugged. Each line of
 * the input is a message, which gets its head here; after a '!' it is sent as it stands. The
 * snapshot is launched first, and stops at its entry.
 */
#include "programs/gencc-dap/dap.h"
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void put_message(FILE *to, const char *text, size_t length)
{
    fprintf(to, "Content-Length: %zu\r\n\r\n", length);
    fwrite(text, 1, length, to);
}

static void put_lines(FILE *to, const uint8_t *data, size_t size)
{
    static const char launch[] =
        "{\"type\":\"request\",\"command\":\"launch\",\"arguments\":{\"snapshot\":\"" FUZZ_SNAPSHOT
        "\",\"kernel\":\"args\",\"stopOnEntry\":true}}",
                      start[] = "{\"type\":\"request\",\"command\":\"configurationDone\"}";

    put_message(to, launch, sizeof(launch) - 1);
    put_message(to, start, sizeof(start) - 1);
    while (size) {
        const uint8_t *end = memchr(data, '\n', size);
        size_t length = end ? (size_t)(end - data) : size;

        if (length && *data == '!')
            fwrite(data + 1, 1, length - 1, to);
        else
            put_message(to, (const char *)data, length);
        data += length + (end != NULL);
        size -= length + (end != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int in = memfd_create("in", MFD_CLOEXEC), out = open("/dev/null", O_WRONLY | O_CLOEXEC);
    FILE *to = in >= 0 ? fdopen(dup(in), "wb") : NULL;

    if (to) {
        put_lines(to, data, size);
        fclose(to);
        lseek(in, 0, SEEK_SET);
        dap_serve(in, out, NULL);
    }
    close(in);
    close(out);
    return 0;
}
