/*
 * test_toy TOY.ac EXPECT
 *
 * Checks a table of cases against the toy ISA. A line of EXPECT is one of
 *
 *     WORD | text                  the word has this text, which assembles to the word
 *     WORD < text                  the text assembles to the word
 *     WORD > text                  the word has this text
 *     error | text | message       the text is refused, with a message that contains this one
 *
 * Words are hexadecimal. All instructions are at address 0x1000. Lines that start with # are
 * comments.
 */
#include "gencc/referee/load.h"
#include "gencc/asm/words/asm.h"

#include <stdlib.h>
#include <string.h>

enum { ADDRESS = 0x1000 };

struct test {
    struct text *text;
    unsigned number, cases, failures;
};

static void report_failure(struct test *s, const char *what, const char *got)
{
    printf("line %u: %s: '%s'\n", s->number, what, got);
    s->failures++;
}

static void check_print(struct test *s, u128 word, const char *text)
{
    char buf[256];

    text_disasm(s->text, word, 32, ADDRESS, buf, sizeof(buf));
    if (strcmp(buf, text))
        report_failure(s, "printed as", buf);
}

static void check_read(struct test *s, u128 word, const char *text)
{
    const struct text_line line = {.text = text, .address = ADDRESS};
    char err[512], number[32];
    struct text_word got;

    if (!text_asm(s->text, &line, &got, err, sizeof(err))) {
        report_failure(s, "refused", err);
    } else if (got.bits != word || got.width != 32) {
        snprintf(number, sizeof(number), "%08llx", (unsigned long long)got.bits);
        report_failure(s, "assembled to", number);
    }
}

static void check_error(struct test *s, char *text)
{
    const struct text_line line = {.text = text, .address = ADDRESS};
    char *bar = strstr(text, " | "), err[512], number[32];
    struct text_word got;

    if (!bar) {
        report_failure(s, "not a case", text);
        return;
    }
    *bar = '\0';
    if (text_asm(s->text, &line, &got, err, sizeof(err))) {
        snprintf(number, sizeof(number), "%08llx", (unsigned long long)got.bits);
        report_failure(s, "accepted as", number);
    } else if (!strstr(err, bar + 3)) {
        report_failure(s, "refused with", err);
    }
}

static void check_line(struct test *s, char *line)
{
    char *rest;
    u128 word;

    s->number++;
    line[strcspn(line, "\r\n")] = '\0';
    if (!*line || *line == '#')
        return;
    s->cases++;
    if (!strncmp(line, "error | ", 8)) {
        check_error(s, line + 8);
        return;
    }
    word = strtoull(line, &rest, 16);
    if (rest == line || rest[0] != ' ' || !strchr("|<>", rest[1]) || rest[2] != ' ') {
        report_failure(s, "not a case", line);
        return;
    }
    if (rest[1] != '<')
        check_print(s, word, rest + 3);
    if (rest[1] != '>')
        check_read(s, word, rest + 3);
}

int main(int argc, char **argv)
{
    struct test s = {0};
    struct loaded l;
    char *line = NULL;
    size_t room = 0;
    FILE *f;

    if (argc != 3 || !load_text(&l, argv[1], "toy"))
        return 2;
    f = fopen(argv[2], "r");
    if (!f) {
        perror(argv[2]);
        return 2;
    }
    s.text = l.text;
    while (getline(&line, &room, f) >= 0)
        check_line(&s, line);
    free(line);
    fclose(f);
    arena_free(&l.arena);
    printf("%u cases, %u failures\n", s.cases, s.failures);
    return s.failures || !s.cases;
}
