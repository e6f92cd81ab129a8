/*
 * Extended attributes of a file, a link and a descriptor. In a folder without them, each call
 * reports that under both simulators.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

static long result_or_errno(long value)
{
    return value < 0 ? -errno : value;
}

#define SHOW(x) printf("%s: %ld\n", #x, result_or_errno(x))

static char out[70000], big[70000];

/* The names that were set here, in order; a host may have others (security.selinux). */
static void show_names(const char *what, long bytes)
{
    printf("%s:", what);
    for (long at = 0; at < bytes; at += strlen(out + at) + 1) {
        if (!strncmp(out + at, "user.", 5))
            printf(" %s", out + at);
    }
    printf("\n");
}

int main(void)
{
    int fd = open("file", O_CREAT | O_RDWR, 0600);

    symlink("file", "link");
    SHOW(setxattr("file", "user.a", "hello", 5, 0));
    SHOW(setxattr("file", "user.a", "hello", 5, XATTR_CREATE));
    SHOW(setxattr("file", "user.b", "xy", 2, XATTR_REPLACE));
    SHOW(setxattr("link", "user.b", "through the link", 16, XATTR_CREATE));
    SHOW(lsetxattr("link", "user.c", "1", 1, 0));
    SHOW(fsetxattr(fd, "user.d", "", 0, 0));
    SHOW(fsetxattr(99, "user.d", "", 0, 0));
    SHOW(setxattr("file", "user.big", big, 65537, 0));
    SHOW(setxattr("file", "user.big", (void *)16, 5, 0));
    SHOW(setxattr("absent", "user.a", "hello", 5, 0));
    SHOW(setxattr("file", "nothing.a", "hello", 5, 0));
    SHOW(getxattr("file", "user.a", NULL, 0));
    SHOW(getxattr("file", "user.a", out, sizeof(out)));
    printf("%.5s\n", out);
    SHOW(getxattr("file", "user.a", out, 4));
    SHOW(lgetxattr("link", "user.b", out, 100));
    SHOW(getxattr("link", "user.b", out, 100));
    SHOW(fgetxattr(fd, "user.b", out, 100));
    printf("%.16s\n", out);
    SHOW(fgetxattr(fd, "user.d", out, 100));
    SHOW(fgetxattr(fd, "user.none", out, 100));
    SHOW(fgetxattr(99, "user.b", out, 100));
    SHOW(getxattr("file", "user.a", (void *)16, 100));
    SHOW(syscall(SYS_getxattr, (void *)16, "user.a", out, 100));
    SHOW(syscall(SYS_getxattr, "file", (void *)16, out, 100));
    show_names("file", listxattr("file", out, sizeof(out)));
    show_names("descriptor", flistxattr(fd, out, sizeof(out)));
    show_names("link", llistxattr("link", out, sizeof(out)));
    SHOW(listxattr("file", NULL, 0) >= 21);
    SHOW(listxattr("file", out, 3));
    SHOW(flistxattr(99, out, 3));
    SHOW(removexattr("file", "user.a"));
    SHOW(removexattr("file", "user.a"));
    SHOW(lremovexattr("link", "user.b"));
    SHOW(fremovexattr(fd, "user.b"));
    SHOW(fremovexattr(99, "user.b"));
    show_names("left", flistxattr(fd, out, sizeof(out)));
    return 0;
}
