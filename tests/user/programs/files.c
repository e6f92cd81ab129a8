/* Files, folders and links: system calls on them, and errors. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_folder(const char *path)
{
    char *names[32];
    size_t count = 0;
    DIR *dir = opendir(path);
    struct dirent *e;

    while (dir && (e = readdir(dir)) && count < 32) {
        asprintf(&names[count++], "%s/%d", e->d_name, e->d_type);
    }
    qsort(names, count, sizeof(*names), by_name);
    for (size_t n = 0; n < count; n++)
        printf("  %s\n", names[n]);
    closedir(dir);
}

static void show_stat(const char *path)
{
    struct stat st;

    if (lstat(path, &st)) {
        printf("%s: %s\n", path, strerror(errno));
        return;
    }
    printf("%s: mode %o links %lu size %ld blksize %d uid %d\n", path, st.st_mode,
           (unsigned long)st.st_nlink, (long)st.st_size, st.st_blksize > 0, st.st_uid == getuid());
}

int main(void)
{
    struct timespec times[2] = {{1000000, 5}, {2000000, 7}};
    struct iovec vec[3] = {{"one ", 4}, {"", 0}, {"two\n", 4}};
    char buf[64] = "", path[4096];
    struct stat st;
    struct statvfs fs;
    int fd, fd2;
    FILE *file;

    umask(022);
    mkdir("d", 0755);
    fd = open("d/file", O_RDWR | O_CREAT | O_EXCL, 0640);
    printf("again %d %s\n", open("d/file", O_RDWR | O_CREAT | O_EXCL, 0640), strerror(errno));
    printf("writev %ld\n", (long)writev(fd, vec, 3));
    printf("pwrite %ld\n", (long)pwrite(fd, "ONE", 3, 0));
    lseek(fd, 0, SEEK_SET);
    printf("read %ld ", (long)read(fd, buf, sizeof(buf)));
    printf("%s", buf);
    printf("at %ld end %ld\n", (long)lseek(fd, 0, SEEK_CUR), (long)lseek(fd, 100, SEEK_END));
    ftruncate(fd, 10000);
    show_stat("d/file");
    fd2 = dup2(fd, 20);
    printf("dup %d, flags %d %d\n", fd2, fcntl(20, F_GETFD), fcntl(fd, F_GETFL) & O_ACCMODE);
    fcntl(20, F_SETFD, FD_CLOEXEC);
    printf("cloexec %d, dupfd %d\n", fcntl(20, F_GETFD), fcntl(fd, F_DUPFD, 30));
    fcntl(fd, F_SETFL, O_APPEND | O_NONBLOCK);
    printf("append %d nonblock %d\n", !!(fcntl(fd, F_GETFL) & O_APPEND),
           !!(fcntl(fd, F_GETFL) & O_NONBLOCK));
    futimens(fd, times);
    fstat(fd, &st);
    printf("times %ld.%ld %ld.%ld\n", (long)st.st_atim.tv_sec, (long)st.st_atim.tv_nsec,
           (long)st.st_mtim.tv_sec, (long)st.st_mtim.tv_nsec);
    close(20);
    symlink("file", "d/link");
    link("d/file", "d/hard");
    show_stat("d/link");
    show_stat("d/hard");
    buf[readlink("d/link", buf, sizeof(buf))] = 0;
    printf("link to %s\n", buf);
    printf("nofollow %d %s\n", open("d/link", O_RDONLY | O_NOFOLLOW), strerror(errno));
    printf("directory %d %s\n", open("d/file", O_RDONLY | O_DIRECTORY), strerror(errno));
    printf("access %d %d\n", access("d/file", R_OK), access("d/none", F_OK));
    rename("d/hard", "d/other");
    chmod("d/other", 0600);
    list_folder("d");
    show_stat("d/none");
    printf("rmdir %d %s\n", rmdir("d"), strerror(errno));
    chdir("d");
    printf("cwd %s\n", strrchr(getcwd(path, sizeof(path)), '/'));
    unlink("link");
    unlink("other");
    file = fopen("file", "w+");
    for (int n = 0; n < 1000; n++)
        fprintf(file, "line %d\n", n);
    rewind(file);
    fseek(file, 2000, SEEK_SET);
    fgets(buf, sizeof(buf), file);
    fgets(buf, sizeof(buf), file);
    printf("stdio %s", buf);
    fclose(file);
    unlink("file");
    chdir("..");
    printf("rmdir %d\n", rmdir("d"));
    printf("statvfs %d, tty %d\n", statvfs(".", &fs) == 0 && fs.f_bsize > 0, isatty(1));
    printf("ioctl %d %s\n", ioctl(fd, TIOCGWINSZ, buf), strerror(errno));
    printf("bad fd %ld %s\n", (long)read(77, buf, 1), strerror(errno));
    printf("bad buffer %ld %s\n", (long)write(1, (void *)16, 4), strerror(errno));
    file = tmpfile();
    printf("tmpfile %d\n", file != NULL && fputs("x", file) >= 0);
    fd = open(".", O_TMPFILE | O_RDWR, 0600);
    printf("O_TMPFILE %d\n", fd >= 0);
    return 0;
}
