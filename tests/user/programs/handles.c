/*
 * File handles, opened again where the user may do so. On a file system without handles both
 * simulators report that.
 */
#define _FILE_OFFSET_BITS 64
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int result_or_errno(long value)
{
    return value < 0 ? -errno : (int)value;
}

#define SHOW(x) printf("%s: %d\n", #x, result_or_errno(x))

int main(void)
{
    struct file_handle *h = calloc(1, sizeof(*h) + 4096);
    int fd = open("file", O_CREAT | O_RDWR, 0600), mount = -1, again, dir = open(".", O_RDONLY);
    char text[8] = "";

    write(fd, "hello", 5);
    h->handle_bytes = 0;
    SHOW(name_to_handle_at(AT_FDCWD, "file", h, &mount, 0));
    printf("bytes %u\n", h->handle_bytes);
    SHOW(name_to_handle_at(AT_FDCWD, "file", h, &mount, 0));
    printf("type %d, mount %d\n", h->handle_type, mount);
    for (unsigned n = 0; n < h->handle_bytes && h->handle_bytes <= 128; n++)
        text[n % 7] ^= h->f_handle[n];
    printf("sum %d\n", text[0] + text[1] + text[2] + text[3] > -10000);
    memset(text, 0, sizeof(text));
    again = open_by_handle_at(dir, h, O_RDONLY);
    printf("opened %d", again < 0 ? -errno : 1);
    printf(" %d %s\n", (int)read(again, text, 5) == 5, text);
    SHOW(name_to_handle_at(fd, "", h, &mount, AT_EMPTY_PATH));
    SHOW(name_to_handle_at(AT_FDCWD, "absent", h, &mount, 0));
    SHOW(name_to_handle_at(AT_FDCWD, "file", h, (int *)16, 0));
    SHOW(name_to_handle_at(AT_FDCWD, "file", (void *)16, &mount, 0));
    SHOW(name_to_handle_at(AT_FDCWD, "file", h, &mount, 0x4000));
    h->handle_bytes = 4096;
    SHOW(name_to_handle_at(AT_FDCWD, "file", h, &mount, 0));
    SHOW(open_by_handle_at(dir, h, O_RDONLY) < 0);
    SHOW(open_by_handle_at(dir, (void *)16, O_RDONLY) < 0);
    return 0;
}
