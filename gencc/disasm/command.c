/*
 * `gencc disasm` of an ISA of words, and functions that all commands share: input, output, words as
 * digits.
 */
#include "gencc/disasm/command.h"
#include "gencc/disasm/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_TEXT = 256,  /* characters per instruction */
    CHUNK = 1 << 16, /* bytes per read */
};

const char text_disasm_help[] =
    "usage: gencc disasm --isa NAME [--arch FILE.ac] [--address A] [--bytes] FILE\n"
    "\n"
    "Disassembles FILE (-: standard input), which holds raw words in their order of bytes in "
    "memory, one line a word:\n"
    "\n"
    "    0: 91000420  add x0, x1, #0x1\n"
    "    4: 00000000  .inst 0x00000000 // undefined\n"
    "\n"
    "that is the address in hexadecimal (A, or 0, for the first word), a colon and a space, the\n"
    "word in hexadecimal, two spaces, the text. `gencc asm` reads the text back.\n"
    "\n"
    "When the ISA's words are bundles, FILE holds a shader, and each bundle stands under a line\n"
    "`bundle_N:`, where N is the number of the 16-byte word it begins at. With --bytes a line\n"
    "`//= HEX` before its text has its bytes: `gencc asm` gives them back, what no text says "
    "included.\n";

FILE *text_open_input(const char *file)
{
    FILE *f = strcmp(file, "-") ? fopen(file, "rb") : stdin;

    if (!f)
        fprintf(stderr, "gencc: cannot open '%s': %s\n", file, strerror(errno));
    return f;
}

int text_close_all(FILE *in, const char *file, FILE *out, int status)
{
    if (ferror(in)) {
        fprintf(stderr, "gencc: cannot read '%s'\n", file);
        status = 2;
    }
    if (in != stdin)
        fclose(in);
    if (fflush(out) || ferror(out)) {
        fprintf(stderr, "gencc: cannot write the output: %s\n", strerror(errno));
        status = 2;
    }
    return status;
}

/* Bytes that hold a word of `width` bits, rounded up. */
static unsigned bytes_of(unsigned width)
{
    return (width + 7) / 8;
}

static bool fits_width(u128 word, unsigned width)
{
    return width >= 128 || !(word >> width);
}

void text_put_word(struct asm_out *o, u128 word, unsigned bytes)
{
    char digits[2 * MAX_WORD_BYTES + 1];

    for (unsigned i = 0; i < 2 * bytes; i++)
        digits[i] = "0123456789abcdef"[(unsigned)(word >> 4 * (2 * bytes - 1 - i)) & 15];
    digits[2 * bytes] = '\0';
    asm_put_text(o, digits);
}

/* Size in bytes of the word at `p`. */
static unsigned word_bytes(const struct isa *isa, const unsigned char *p)
{
    return bytes_of(isa_width_of(isa, isa_word_load(isa, p, isa->fetch_bits)));
}

/* Position of the disassembly. */
struct place {
    uint64_t address;
    unsigned context; /* decode context of the next word */
};

/* Writes the line of the complete word at `p`. Returns false if its text was truncated. */
static bool disasm_one(struct text *t, const unsigned char *p, unsigned bytes, struct place *at,
                       FILE *out)
{
    const struct isa *isa = t->isa;
    unsigned width = isa->word_widths.len ? 8 * bytes : isa->fetch_bits;
    u128 plain = isa_word_load(isa, p, width);
    u128 word = plain | isa_context_bits(isa, at->context);
    char text[MAX_TEXT], line[MAX_TEXT + 96];
    struct asm_out o = {.text = line, .size = sizeof(line)};
    const struct form *form;

    asm_put_hex(&o, (int64_t)at->address);
    memmove(line, line + 2, o.length - 1); /* drop 0x */
    o.length -= 2;
    asm_put_text(&o, ": ");
    text_put_word(&o, plain, bytes);
    if (fits_width(plain, width) && text_disasm(t, word, width, at->address, text, sizeof(text))) {
        if (text_is_cut(t)) {
            fprintf(stderr,
                    "gencc: the text of the word at address 0x%" PRIx64
                    " has more than %u characters\n",
                    at->address, (unsigned)MAX_TEXT - 1);
            return false;
        }
        asm_put_text(&o, "  ");
        asm_put_text(&o, text);
    } else {
        asm_put_text(&o, "  .inst 0x");
        text_put_word(&o, plain, bytes);
        asm_put_text(&o, " // undefined");
    }
    asm_put_text(&o, "\n");
    fwrite(line, 1, o.length, out);
    form = isa->context.slot ? text_decode(t, word, width) : NULL;
    at->context = form ? text_next_context(t, form, word) : 0;
    at->address += bytes;
    return true;
}

int text_command_disasm(struct text *t, const struct text_options *o, FILE *out)
{
    static const size_t slack = MAX_WORD_BYTES;
    unsigned unit = bytes_of(t->isa->fetch_bits);
    FILE *in = text_open_input(o->file);
    struct place at = {.address = o->address};
    unsigned char *buf;
    size_t have = 0, got;
    bool good = true;
    int status = 0;

    if (!in)
        return 2;
    buf = malloc(CHUNK + slack);
    if (!buf || !unit || unit > MAX_WORD_BYTES) {
        fprintf(stderr, "gencc: cannot disassemble words of %u bits\n", t->isa->fetch_bits);
        free(buf);
        return text_close_all(in, o->file, out, 2);
    }
    do {
        size_t from = 0;
        unsigned n;

        got = fread(buf + have, 1, CHUNK, in);
        have += got;
        /* A word at the end of the chunk may continue in the next chunk. */
        while (good && have - from >= (got ? slack : unit) &&
               have - from >= (n = word_bytes(t->isa, buf + from))) {
            good = disasm_one(t, buf + from, n, &at, out);
            from += n;
        }
        memmove(buf, buf + from, have - from);
        have -= from;
    } while (good && got);
    if (!good)
        status = 1;
    else if (have) {
        fprintf(stderr, "gencc: '%s' ends with %zu bytes that are no whole word of %u\n", o->file,
                have, have < unit ? unit : word_bytes(t->isa, buf));
        status = 2;
    }
    free(buf);
    return text_close_all(in, o->file, out, status);
}
