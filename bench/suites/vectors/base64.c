/* base64 of 96 KB by aklomp/base64, there and back: with NEON, and on x86-64 with SSSE3. */
#include "bytes.h"
#include "base64/include/libbase64.h"
#ifdef __aarch64__
#define ARCH BASE64_FORCE_NEON64
#else
#define ARCH BASE64_FORCE_SSSE3
#endif

int main(int argc, char **argv)
{
    static uint8_t bytes[96 << 10];
    static char text[132 << 10];
    size_t length = 0, count = 0;

    fill_bytes(bytes, sizeof(bytes));
    for (int k = atoi(argv[1]); k > 0; k--) {
        base64_encode((char *)bytes, sizeof(bytes), text, &length, ARCH);
        base64_decode(text, length, (char *)bytes, &count, ARCH);
        bytes[k % sizeof(bytes)]++;
    }
    print_sum(text, length);
    print_sum(bytes, count);
    return 0;
}
