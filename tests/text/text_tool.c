/*
 * Runs gencc's commands, and writes random words, for the tests in this folder:
 *
 *     text_tool disasm|asm ARCH.ac ISA FILE      the commands of gencc; asm writes hexadecimal
 *     text_tool words ARCH.ac ISA COUNT SEED     COUNT random words of every encoding, raw
 */
#include "gencc/referee/load.h"
#include "gencc/referee/words.h"
#include "gencc/asm/command.h"

#include <stdlib.h>
#include <string.h>

static void write_words(struct text *t, const struct isa *isa, unsigned count, uint64_t seed)
{
    struct words w = {t, seed * 2 + 1};

    vec_for_each (&isa->forms, f) {
        for (unsigned i = 0; i < count; i++) {
            u128 word;

            if (random_word(&w, *f, &word))
                fwrite(&word, (*f)->instr->format->width / 8, 1, stdout);
        }
    }
}

static int run_command(const struct loaded *l, int argc, char **argv)
{
    struct text_options o = {.hex = true, .file = argv[4]};

    if (!strcmp(argv[1], "disasm"))
        return text_command_disasm(l->text, &o, stdout);
    if (!strcmp(argv[1], "asm"))
        return text_command_asm(l->text, &o, stdout);
    if (strcmp(argv[1], "words") || argc != 6)
        return 2;
    write_words(l->text, model_isa(l->model, argv[3]), (unsigned)strtoul(argv[4], NULL, 0),
                strtoull(argv[5], NULL, 0));
    return 0;
}

int main(int argc, char **argv)
{
    struct loaded l = {0};
    int status = 2;

    if (argc >= 5 && load_text(&l, argv[2], argv[3]))
        status = run_command(&l, argc, argv);
    arena_free(&l.arena);
    return status;
}
