/*
 * `gencc asm` of an ISA of words: makes raw bytes, hexadecimal text or an ELF executable.
 */
#include "gencc/asm/command.h"
#include "gencc/asm/program/program.h"
#include "gencc/disasm/text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

const char text_asm_help[] =
    "usage: gencc asm --isa NAME [--arch FILE.ac] [--address A] [--hex] [-o OUTPUT] FILE\n"
    "\n"
    "Assembles FILE (-: standard input). The first instruction stands at A, or 0. Raw bytes\n"
    "go to standard output, or with --hex each word as hexadecimal text on a line.\n"
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

/* Writes bytes that belong together as one number. */
static void write_hex(const struct isa *isa, const struct asm_statement *s, FILE *out)
{
    bool big = isa->model->big_endian;

    for (size_t at = 0; at + s->unit <= s->size && s->unit; at += s->unit) {
        for (unsigned i = s->unit; i-- > 0;)
            fprintf(out, "%02x", s->bytes[at + (big ? s->unit - 1 - i : i)]);
        fputc('\n', out);
    }
}

/* Writes a word of several units. Its first unit is the low or the high one, by the ISA. */
static void write_hex_word(const struct isa *isa, const struct asm_statement *s, FILE *out)
{
    char text[2 * MAX_WORD_BYTES + 1];
    struct asm_out o = {.text = text, .size = sizeof(text)};

    text_put_word(&o, isa_word_load(isa, s->bytes, 8 * s->unit), s->unit);
    fprintf(out, "%s\n", text);
}

static void write_program(const struct asm_program *p, bool hex, FILE *out)
{
    if (!hex)
        fwrite(p->image, 1, p->size, out);
    vec_for_each (&p->statements, s) {
        if (hex && s->is_word && p->text->isa->word_widths.len)
            write_hex_word(p->text->isa, s, out);
        else if (hex)
            write_hex(p->text->isa, s, out);
    }
}

static bool is_elf(const char *path)
{
    size_t n = strlen(path);

    return n > 4 && !strcmp(path + n - 4, ".elf");
}

/* Writes the file that the options name. Returns the exit status. */
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
    source = arena_read_all(&a, in, SIZE_MAX, &length);
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
