/* Parses instructions as a disassembler prints them. */

#include "tests/bifrost_fp/text.h"

#include <stdio.h>
#include <string.h>

static bool parse_part(char *text, struct text_part *out)
{
    char *rest = text, *word = strsep(&rest, ".");

    memset(out, 0, sizeof(*out));
    if (strlen(word) >= TEXT_WORD)
        return false;
    strcpy(out->name, word);
    if (!strcmp(word, "fau") && rest) { /* "fau.x" is one name */
        strcat(out->name, ".");
        strncat(out->name, strsep(&rest, "."), 1);
    }
    while (rest) {
        word = strsep(&rest, ".");
        if (out->modifiers == TEXT_MODIFIERS || strlen(word) >= TEXT_WORD)
            return false;
        strcpy(out->modifier[out->modifiers++], word);
    }
    return true;
}

bool text_parse(const char *text, struct text_instr *out)
{
    char copy[256], *rest = copy, *operation;

    if ((unsigned)snprintf(copy, sizeof(copy), "%s", text) >= sizeof(copy))
        return false;
    memset(out, 0, sizeof(*out));
    operation = strsep(&rest, " ");
    if (!rest || !parse_part(operation, &out->op))
        return false;
    strsep(&rest, ","); /* the destination */
    while (rest) {
        char *source = strsep(&rest, ",");
        if (*source++ != ' ' || out->sources == TEXT_SOURCES ||
            !parse_part(source, &out->source[out->sources++]))
            return false;
    }
    return true;
}

bool text_has(const struct text_part *part, const char *modifier)
{
    for (unsigned i = 0; i < part->modifiers; i++)
        if (!strcmp(part->modifier[i], modifier))
            return true;
    return false;
}

unsigned text_which(const struct text_part *part, const char *const *names, unsigned otherwise)
{
    for (unsigned i = 0; names[i]; i++)
        if (text_has(part, names[i]))
            return i;
    return otherwise;
}
