#include "gencc/text/commands.h"
#include "gencc/text/asm_program.h"
#include "gencc/text/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    MAX_TEXT = 256,  /* characters of one instruction */
    CHUNK = 1 << 16, /* bytes read at once */
    MAX_WORD_BYTES = 16,
};

const char text_disasm_help[] =
    "usage: gencc disasm --isa NAME [--arch FILE.ac] [--address A] [--bytes] FILE\n"
    "\n"
    "Disassembles FILE (-: standard input), which holds raw little-endian words, one line a word:\n"
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

const char text_asm_help[] =
    "usage: gencc asm --isa NAME [--arch FILE.ac] [--address A] [--hex] [-o OUTPUT] FILE\n"
    "\n"
    "Assembles FILE (-: standard input). The first instruction stands at A, or 0. Raw "
    "little-endian\n"
    "bytes go to standard output, or with --hex each word as hexadecimal text on a line.\n"
    "  -o OUTPUT  write to a file; an ELF executable if its name ends in .elf\n"
    "\n"
    "A line is an instruction or a directive, labels (`NAME:`) before it; `;` begins another.\n"
    "Comments are //, /* */, what the description names, and # where a line begins. Numbers are\n"
    "expressions: + - * / % << >> & | ^ ~ ( ), labels, 'c', `.` for this address.\n"
    "  .byte .half .word .quad N, …   numbers of 1, 2, 4, 8 bytes\n"
    "  .ascii \"TEXT\", … .asciz      text; .asciz ends each with a zero\n"
    "  .align N .balign BYTES         fill with zeros up to a multiple of 2^N, of BYTES\n"
    "  .org ADDRESS .space BYTES      fill up to an address, or so many\n"
    "  .equ NAME, N  NAME = N         a name for a number\n"
    "  .global NAME …                 names that others see, in an ELF\n"
    "  .inst N                        a word as it is\n"
    "`1:` is a label that may stand often: 1b is the one before, 1f the one behind.\n"
    "\n"
    "When the ISA's words are bundles, FILE holds a shader as `gencc disasm` prints it: each "
    "bundle\n"
    "with its header, its words line by line and what closes it. `NAME:` before a bundle is a "
    "label,\n"
    "which branches name. Behind a line `//= HEX` stands a bundle that has these bytes as long as "
    "they\n"
    "read as its lines do; when lines were changed, or a label has moved that they name, the text "
    "is\n"
    "assembled. There are no directives.\n"
    "\n"
    "What is wrong is reported as file:line: error: …, and nothing is written.\n";

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

/* ---- disasm ---------------------------------------------------------------------------------- */

/* Words that are no whole number of bytes take as many as hold them. */
static unsigned bytes_of(unsigned width)
{
    return (width + 7) / 8;
}

static bool fits(u128 word, unsigned width)
{
    return width >= 128 || !(word >> width);
}

static u128 little_endian(const unsigned char *p, unsigned bytes)
{
    u128 v = 0;

    while (bytes--)
        v = v << 8 | p[bytes];
    return v;
}

static void put_word(struct asm_out *o, u128 word, unsigned bytes)
{
    char digits[2 * MAX_WORD_BYTES + 1];

    for (unsigned i = 0; i < 2 * bytes; i++)
        digits[i] = "0123456789abcdef"[(unsigned)(word >> 4 * (2 * bytes - 1 - i)) & 15];
    digits[2 * bytes] = '\0';
    asm_put_text(o, digits);
}

/* How many bytes the word at `p` takes. */
static unsigned word_bytes(const struct isa *isa, const unsigned char *p)
{
    return bytes_of(isa_width_of(isa, little_endian(p, bytes_of(isa->fetch_bits))));
}

/* Where disassembly stands. */
struct place {
    uint64_t address;
    unsigned context; /* of the next word */
};

/* Writes the line of the word at `p`, which is there as a whole. */
static void disasm_one(struct text *t, const unsigned char *p, unsigned bytes, struct place *at,
                       FILE *out)
{
    const struct isa *isa = t->isa;
    unsigned width = isa->word_widths.count ? 8 * bytes : isa->fetch_bits;
    u128 plain = isa->word_widths.count ? isa_word_load(isa, p, width) : little_endian(p, bytes);
    u128 word = plain | isa_context_bits(isa, at->context);
    char text[MAX_TEXT], line[MAX_TEXT + 96];
    struct asm_out o = {.text = line, .size = sizeof line};
    const struct form *form;

    asm_put_hex(&o, (int64_t)at->address);
    memmove(line, line + 2, o.length - 1); /* without 0x */
    o.length -= 2;
    asm_put_text(&o, ": ");
    put_word(&o, plain, bytes);
    if (fits(plain, width) && text_disasm(t, word, width, at->address, text, sizeof text)) {
        asm_put_text(&o, "  ");
        asm_put_text(&o, text);
    } else {
        asm_put_text(&o, "  .inst 0x");
        put_word(&o, plain, bytes);
        asm_put_text(&o, " // undefined");
    }
    asm_put_text(&o, "\n");
    fwrite(line, 1, o.length, out);
    form = isa->context.slot ? text_decode(t, word, width) : NULL;
    at->context = form ? text_next_context(t, form, word) : 0;
    at->address += bytes;
}

int text_command_disasm(struct text *t, const struct text_options *o, FILE *out)
{
    static const size_t slack = MAX_WORD_BYTES;
    unsigned unit = bytes_of(t->isa->fetch_bits);
    FILE *in = text_open_input(o->file);
    struct place at = {.address = o->address};
    unsigned char *buf;
    size_t have = 0, got;
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
        /* A word at the end of the chunk may go on in the next. */
        while (have - from >= (got ? slack : unit) &&
               have - from >= (n = word_bytes(t->isa, buf + from))) {
            disasm_one(t, buf + from, n, &at, out);
            from += n;
        }
        memmove(buf, buf + from, have - from);
        have -= from;
    } while (got);
    if (have) {
        fprintf(stderr, "gencc: '%s' ends with %zu bytes that are no whole word of %u\n", o->file,
                have, have < unit ? unit : word_bytes(t->isa, buf));
        status = 2;
    }
    free(buf);
    return text_close_all(in, o->file, out, status);
}

/* ---- asm ------------------------------------------------------------------------------------- */

/* Bytes that belong together, as a number. */
static void write_hex(const struct asm_statement *s, FILE *out)
{
    for (size_t at = 0; at + s->unit <= s->size && s->unit; at += s->unit) {
        for (unsigned i = s->unit; i-- > 0;)
            fprintf(out, "%02x", s->bytes[at + i]);
        fputc('\n', out);
    }
}

/* Of a word of several units the first is the low one, or the high one. */
static void write_hex_word(const struct isa *isa, const struct asm_statement *s, FILE *out)
{
    char text[2 * MAX_WORD_BYTES + 1];
    struct asm_out o = {.text = text, .size = sizeof text};

    put_word(&o, isa_word_load(isa, s->bytes, 8 * s->unit), s->unit);
    fprintf(out, "%s\n", text);
}

static void write_program(const struct asm_program *p, bool hex, FILE *out)
{
    if (!hex)
        fwrite(p->image, 1, p->size, out);
    vec_for_each (&p->statements, s) {
        if (hex && s->is_word && p->text->isa->word_widths.count)
            write_hex_word(p->text->isa, s, out);
        else if (hex)
            write_hex(s, out);
    }
}

static char *read_all(FILE *in, struct arena *a, size_t *length)
{
    size_t room = CHUNK, got;
    char *text = arena_alloc(a, room);

    *length = 0;
    while ((got = fread(text + *length, 1, room - *length, in)) > 0) {
        *length += got;
        if (*length == room) {
            char *more = arena_alloc(a, room *= 2);

            memcpy(more, text, *length);
            text = more;
        }
    }
    return text;
}

static bool is_elf(const char *path)
{
    size_t n = strlen(path);

    return n > 4 && !strcmp(path + n - 4, ".elf");
}

/* To the file that was named: the exit status. */
static int write_file(const struct asm_program *p, const struct text_options *o)
{
    FILE *f;
    bool ok;

    if (is_elf(o->output) && !o->hex)
        return asm_write_elf(p, o->output) ? 0 : 2;
    f = fopen(o->output, "wb");
    if (f)
        write_program(p, o->hex, f);
    ok = f && !ferror(f);
    if ((f && fclose(f)) || !ok) {
        fprintf(stderr, "gencc: cannot write '%s': %s\n", o->output, strerror(errno));
        return 2;
    }
    return 0;
}

int text_command_asm(struct text *t, const struct text_options *o, FILE *out)
{
    FILE *in = text_open_input(o->file);
    struct arena a = {0};
    struct asm_program p = {.text = t,
                            .arena = &a,
                            .file = strcmp(o->file, "-") ? o->file : "<stdin>",
                            .messages = stderr,
                            .base = o->address};
    size_t length;
    char *source;
    int status = 0;

    if (!in)
        return 2;
    source = read_all(in, &a, &length);
    if (!asm_program(&p, source, length))
        status = 1;
    else if (o->output)
        status = write_file(&p, o);
    else
        write_program(&p, o->hex, out);
    status = text_close_all(in, o->file, out, status);
    arena_free(&a);
    return status;
}
