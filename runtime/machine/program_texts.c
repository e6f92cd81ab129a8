/*
 * Finds texts in the memory of a program.
 *
 * Bounds      MOST_MAPPED pages are looked at, and MOST_SEARCHED of them are searched; MOST_FOUND
 *             texts of at most MOST_BYTES bytes are passed on
 */
#include "runtime/machine/program_texts.h"

#include <string.h>

#include "common/vec.h"

enum {
    MOST_MAPPED = 1 << 18,
    MOST_SEARCHED = 1 << 16,
    MOST_FOUND = 4096,
    MOST_BYTES = 1 << 18,
};

static const char word[] = "kernel";

enum { WORD = sizeof(word) - 1, TAIL = WORD - 1 };

/* ---- mapped pages ---------------------------------------------------------------------------- */

struct wanted {
    const uint8_t *host;
    bool found;
};

static bool compare_page(void *opaque, const struct program_page *page)
{
    struct wanted *w = opaque;

    w->found = page->host == w->host;
    return !w->found;
}

bool program_maps(struct bus *bus, const struct program_tables *t, const uint8_t *host)
{
    struct wanted w = {host, false};

    program_pages(bus, t, MOST_MAPPED, compare_page, &w);
    return w.found;
}

/* ---- texts ----------------------------------------------------------------------------------- */

struct search {
    struct bus *bus;
    const struct program_tables *tables;
    void (*take)(void *opaque, const char *text);
    void *opaque;
    uint64_t next;                   /* address behind the page that was searched last */
    uint64_t end;                    /* address behind the text that was found last */
    unsigned searched, found;        /* pages, texts */
    char bytes[TAIL + PROGRAM_PAGE]; /* the end of the page before, then the page */
    struct program_page page;        /* last page of byte_at() */
    VEC(char) text;
};

static bool is_text(uint8_t c)
{
    return (c >= ' ' && c != 0x7f) || (c >= '\t' && c <= '\r');
}

/* The byte at an address; 0: none is mapped there. */
static uint8_t byte_at(struct search *s, uint64_t va)
{
    if (!s->page.host || va - s->page.va >= PROGRAM_PAGE) {
        s->page.host = NULL;
        if (!program_page_at(s->bus, s->tables, va, &s->page))
            return 0;
    }
    return s->page.host[va % PROGRAM_PAGE];
}

/* Passes on the text around an address. */
static void take_around(struct search *s, uint64_t va)
{
    uint64_t first = va, end = va;

    while (va - first < MOST_BYTES && is_text(byte_at(s, first - 1)))
        first--;
    while (end - first < MOST_BYTES && is_text(byte_at(s, end)))
        end++;
    s->end = end;
    if (end - first >= MOST_BYTES || !program_page_at(s->bus, s->tables, end, &s->page) ||
        byte_at(s, end))
        return;
    s->text.len = 0;
    for (; first <= end; first++)
        vec_push(&s->text, (char)byte_at(s, first));
    s->found++;
    s->take(s->opaque, s->text.data);
}

static bool search_page(void *opaque, const struct program_page *page)
{
    struct search *s = opaque;
    const char *at = s->bytes + (page->va == s->next ? 0 : TAIL);
    const char *end = s->bytes + sizeof(s->bytes);

    if (page->execute)
        return true;
    if (s->searched++ == MOST_SEARCHED)
        return false;
    memcpy(s->bytes, s->bytes + PROGRAM_PAGE, TAIL);
    memcpy(s->bytes + TAIL, page->host, PROGRAM_PAGE);
    s->next = page->va + PROGRAM_PAGE;
    while ((at = memmem(at, (size_t)(end - at), word, WORD)) != NULL) {
        uint64_t va = page->va - TAIL + (uint64_t)(at - s->bytes);

        if (va >= s->end)
            take_around(s, va);
        if (s->found == MOST_FOUND)
            return false;
        at += WORD;
    }
    return true;
}

void program_texts(struct bus *bus, const struct program_tables *t,
                   void (*take)(void *opaque, const char *text), void *opaque)
{
    struct search s = {.bus = bus, .tables = t, .take = take, .opaque = opaque};

    program_pages(bus, t, MOST_MAPPED, search_page, &s);
    vec_free(&s.text);
}
