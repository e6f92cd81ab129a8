/*
 * The environment of a program: arguments, variables, auxiliary vector, files; and printed numbers.
 */
// run: a "b c"
// run:
// flags: -static-pie
#include <elf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct utsname name;
    char line[64];

    uname(&name);
    printf("%s, %s\n", name.sysname, name.machine);
    for (int n = 1; n < argc; n++)
        printf("argument %d: %s\n", n, argv[n]);
    printf("variable: %s\n", getenv("USER_TEST"));
    printf("%f %g %e %a %.20g\n", 3.14159, 1e100, -0.1, 1.5, sqrt(2));
    printf("%f %f %g %g\n", sin(1), exp(10), pow(2, 0.5), INFINITY - INFINITY);
    printf("%Lf %Lg\n", 1.25L, 1.0L / 3);
    printf("page %lu, platform %s, phdr %d\n", getauxval(AT_PAGESZ), (char *)getauxval(AT_PLATFORM),
           getauxval(AT_PHDR) != 0);
    printf("entry %d, random %d, file %s\n", getauxval(AT_ENTRY) != 0, getauxval(AT_RANDOM) != 0,
           strrchr((char *)getauxval(AT_EXECFN), '/'));
    while (fgets(line, sizeof(line), stdin))
        printf("read: %s", line);
    fprintf(stderr, "to stderr\n");
    return argc == 3 ? 42 : 0;
}
