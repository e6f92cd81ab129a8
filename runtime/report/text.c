/* Figures of a kernel that only the text of its bundles has. */
#include <ctype.h>
#include <string.h>

#include "runtime/report/internal.h"

/* Whether a word of `length` characters has the part `part`, which begins with a dot. */
static bool has_part(const char *word, size_t length, const char *part)
{
    const char *at = strstr(word, part);
    size_t bytes = strlen(part);

    return at && at + bytes <= word + length && !isalnum((unsigned char)at[bytes]);
}

/* Whether a part of the word names a type of 8 or 16 bits, such as .v2f16 or .i8. */
static bool is_half(const char *word, size_t length)
{
    for (const char *at = memchr(word, '.', length); at && at < word + length; at++) {
        const char *digits = at + strcspn(at, "0123456789");

        if (digits < word + length && digits > at && isalpha((unsigned char)digits[-1]) &&
            (!strncmp(digits, "16", 2) || (*digits == '8' && !isdigit((unsigned char)digits[1]))))
            return true;
    }
    return false;
}

static void add_line(struct report_code_text *t, unsigned *halves, const char *line, size_t length)
{
    size_t start = strspn(line, " *+"), word;

    if (start >= length)
        return;
    line += start;
    length -= start;
    word = strcspn(line, " \n");
    word = word < length ? word : length;
    if (has_part(line, word, ".tl")) {
        /* A store has what it stores behind its address, a load only where it goes to. */
        *(strncmp(line, "STORE", 5) ? &t->fills : &t->spills) += 1;
        return;
    }
    *halves += !memchr(line, '@', length) && is_half(line, word);
}

static void add_text(struct report_code_text *t, unsigned *halves, const char *text)
{
    while (text && *text) {
        size_t length = strcspn(text, "\n");

        add_line(t, halves, text, length);
        text += length + (text[length] != 0);
    }
}

bool report_is_texture(const char *text)
{
    const char *word = strstr(text, " tex ");

    return word && word < text + strcspn(text, "\n");
}

struct report_code_text report_code_text(const struct report_kernel *k)
{
    struct report_code_text t = {0};
    unsigned halves = 0, arithmetic = 0;

    for (size_t i = 0; i < k->bundles.len; i++) {
        const struct report_bundle *b = &k->bundles.data[i];

        add_text(&t, &halves, b->text);
        arithmetic += b->text ? b->profile.instructions[GPU_CLASS_ARITHMETIC] : 0;
    }
    halves = halves < arithmetic ? halves : arithmetic;
    t.half_percent = arithmetic ? 100.0 * halves / arithmetic : 0;
    return t;
}
