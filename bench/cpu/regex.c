/* Branches and the C library: POSIX regular expressions over lines of a log. */
#include <regex.h>

#include "bench.h"

int main(int argc, char **argv)
{
    static const char *const patterns[] = {
        "^[0-9]+-[0-9]+ (warn|error):.*timeout",
        "id=([0-9a-f]{4,8}) .*user=[a-z]+[0-9]*$",
        "(ab|ba)*c{2,3}",
    };
    unsigned rounds = bench_rounds(argc, argv), found[3] = {0};
    uint64_t seed = 3, sum = BENCH_SEED;
    regex_t re[3];

    for (unsigned n = 0; n < 3; n++) {
        if (regcomp(&re[n], patterns[n], REG_EXTENDED))
            return 1;
    }
    for (unsigned line = 0; line < 600 * rounds; line++) {
        static const char *const level[] = {"info", "warn", "error"};
        static const char *const what[] = {"timeout", "abbaabccc", "connected", "bacc"};
        char text[128];
        regmatch_t m[2];

        snprintf(text, sizeof(text), "%u-%u %s: %s id=%x user=%s%u", bench_random(&seed) % 32, line,
                 level[bench_random(&seed) % 3], what[bench_random(&seed) % 4],
                 bench_random(&seed) & 0xffffff, line & 1 ? "root" : "guest",
                 bench_random(&seed) % 100);
        for (unsigned n = 0; n < 3; n++) {
            if (!regexec(&re[n], text, 2, m, 0)) {
                found[n]++;
                sum = bench_mix(sum, (uint64_t)m[0].rm_so << 32 | (uint32_t)m[0].rm_eo);
            }
        }
    }
    printf("%u %u %u %016llx\n", found[0], found[1], found[2], (unsigned long long)sum);
    return 0;
}
