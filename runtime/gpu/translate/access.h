/* An access of a row of lanes while its code is built: the interface between memory.c, read.c,
 * quad.c, write.c and strided.c. */
#ifndef RUNTIME_GPU_TRANSLATE_ACCESS_H
#define RUNTIME_GPU_TRANSLATE_ACCESS_H

#include "runtime/gpu/translate/internal.h"

enum { PAGE_BYTES = 1 << GPU_TLB_PAGE_SHIFT };
enum { ACCESS_WAYS = 8, ACCESS_MAX_PARTS = LANES_MERGED_PARTS, ACCESS_QUAD = 4 };

/* Memory that was found in the page map. */
struct access_found {
    LLVMValueRef host; /* address of the first byte */
    /* Or vectors, of lanes anywhere: host addresses as integers, and places in their pages. */
    LLVMValueRef at, place;
    /* Or, in the memory of threads, an address of the host, and what is added to it, words of all
     * lanes. */
    LLVMValueRef threads, index;
    /* Instruction that checks that all bytes are in the page; its second operand is a constant that
     * depends on bytes + extra_bytes: where the last byte lies behind the first operand or, with
     * `limit`, the last place in a page at which the access may begin. */
    LLVMValueRef room;
    bool limit;
    unsigned bytes;       /* bytes of the first word of all lanes */
    unsigned extra_bytes; /* bytes of the words behind the first */
};

struct access;
struct access_way;
/* Builds the read of the word `ahead` bytes behind the access's address. */
typedef LLVMValueRef access_word_fn(struct jit_build *j, const struct access *a,
                                    struct access_way *way, unsigned ahead);

/* A way to read, at whose end reads of further words can be inserted. */
struct access_way {
    access_word_fn *word;
    LLVMBasicBlockRef from;
    LLVMValueRef value;
    struct access_found found;
    /* stride in words, of which each lane reads one; 0: not strided */
    unsigned stride_words;
    /* All words of all lanes' strides, and the chunks that follow; NULL: not read yet. */
    LLVMValueRef chunk[ACCESS_MAX_PARTS];
    /* Adjacent words of lanes anywhere: gathered one by one, or all read at once; NULL: not yet. */
    LLVMValueRef gathered[ACCESS_QUAD], quad[ACCESS_QUAD];
};

struct access {
    unsigned bytes; /* of a word */
    bool write;
    unsigned words;                 /* adjacent words of each lane; of a read, the first alone */
    LLVMValueRef data[ACCESS_QUAD]; /* what a write stores */
    unsigned counter;               /* enum gpu_access_counter */
    LLVMTypeRef lane;               /* integer type of the accessed size */
    /* masks: active lanes, lanes that reach the operation, lanes that access */
    LLVMValueRef active, mask, bits;
    bool is_first; /* nothing in its bundle has accessed memory before */
    jit_value address;
    /* Start of the next way; the lane-by-lane way; the common end. */
    LLVMBasicBlockRef next_way, slow, end;
    struct access_found found;
    /* The ways of a read. */
    struct access_way way[ACCESS_WAYS];
    unsigned ways;
    struct lanes_noted noted; /* if the trace is observed */
};

/* ---- memory.c -------------------------------------------------------------------------------- */

/* Begins the code of an access to words of `bits` bits at `address`. */
struct access access_begin(struct jit_build *j, unsigned bits, bool write, jit_value address);
void access_continue_if(struct jit_build *j, LLVMValueRef cond, LLVMBasicBlockRef otherwise);
/* Continues if the address of each lane that accesses is `step` bytes per lane behind the first
 * lane's address, which it returns; branches to `otherwise` if not. Lanes that do not access, among
 * them perhaps the first, may have any address. */
LLVMValueRef access_require_step(struct jit_build *j, const struct access *a, unsigned step,
                                 LLVMBasicBlockRef otherwise);
/* Whether all lanes access memory. */
LLVMValueRef access_all_lanes(struct jit_build *j, const struct access *a);
/* The block for rows of adjacent words that the page map does not have in one page. If all lanes
 * access, their page is unknown or they cross its end, and it goes lane by lane; else it goes the
 * next way, since the words that are accessed may be in a known page nevertheless. */
LLVMBasicBlockRef access_not_in_page(struct jit_build *j, const struct access *a);
/* Finds the host memory of `bytes` bytes at `va`. Continues if all are in a page of the page map;
 * branches to `otherwise` if not. */
void access_probe(struct jit_build *j, struct access *a, LLVMValueRef va, unsigned bytes,
                  LLVMBasicBlockRef otherwise);
/* Begins the gathered way. It continues if the lanes' words are in one or two pages of the soft
 * TLB. */
void access_require_pages(struct jit_build *j, struct access *a);
/* Whether the access reads integers narrower than a word, which hosts cannot gather. Words of the
 * same page that contain them are gathered instead. */
bool access_by_words(const struct jit_build *j, const struct access *a);
/* Gathers words of the lanes that access from host addresses, or scatters `store` to them; then the
 * result is not to be used. */
LLVMValueRef access_transfer(struct jit_build *j, const struct access *a, LLVMValueRef at,
                             LLVMValueRef store);
/* Gathers such words without new blocks. */
LLVMValueRef access_load_each(struct jit_build *j, const struct access *a, LLVMValueRef at);
/* llvm.masked.store: stores the elements of `v` that the mask has, side by side at `to`. Returns
 * the instruction. */
LLVMValueRef access_store_masked(struct jit_build *j, LLVMValueRef v, LLVMValueRef to,
                                 LLVMValueRef mask);
/*
 * Counts one access per lane, of the kind of memory that the recorded bundle accessed: the page map
 * is searched for pages of that kind only. If all lanes access, the count is a constant of the
 * bundle and costs nothing. The lane-by-lane way counts the actual kinds and subtracts this count.
 */
void access_count(struct jit_build *j, const struct access *a);
/* The operand that describes the access to the functions of row.h. */
LLVMValueRef access_what(struct jit_build *j, const struct access *a);
/* The lanes that access, as the i32 that handlers receive. */
LLVMValueRef access_bits32(struct jit_build *j, const struct access *a);
/* Begins the lane-by-lane way: stores the bundle's address in the row, for the report of a
 * fault. */
void access_note_address(struct jit_build *j);
/* Stores a value in memory of its own and returns the address. */
LLVMValueRef access_in_memory(struct jit_build *j, LLVMValueRef v);
/* Ends one way with a branch to the common end. */
void access_end(struct jit_build *j, struct access *a);
/* The host memory `ahead` bytes behind the access's address, as a pointer to `t`. */
LLVMValueRef access_host(struct jit_build *j, const struct access_found *found, unsigned ahead,
                         LLVMTypeRef t);
/* Lets the host fetch what lies behind the memory that was found: the next work-groups usually
 * access it, in pictures too, where hosts do not foresee it. */
void access_fetch_ahead(struct jit_build *j, const struct access *a);
/* Builds one way of a read whose memory is found; `parts` is its stride in words, or 0. */
void access_way(struct jit_build *j, struct access *a, access_word_fn *word, unsigned parts);
/* Reads one word that all lanes share. */
access_word_fn access_one_word;

/* Makes the test of a row's memory, access_found.room with `limit`, one for `bytes` bytes at
 * least. */
void access_check_bytes(struct jit_build *j, LLVMValueRef room, unsigned bytes);

/* ---- near.c ---------------------------------------------------------------------------------- */

/* Builds the way of a row near an earlier one, if it is. If not, and if later ones may be near it,
 * the result is what access_note_near() takes where the row's memory is found; else NULL. */
struct lanes_near *access_find_near(struct jit_build *j, struct access *a, access_word_fn *word);
void access_note_near(struct jit_build *j, const struct access *a, struct lanes_near *near);
/* Bytes from each lane's address to the next lane's, if all lanes access and their index is known
 * to be in a line; 0: not known. */
uint64_t access_stride(const struct jit_build *j, const struct access *a);
/* Whether the access is near an earlier one, both with a known stride; *ahead becomes the distance
 * in bytes. It holds under access_condition(a) and if the earlier one's addresses were tested to be
 * in step (lanes_in_step()). */
bool access_is_near(const struct jit_build *j, const struct access *of, const struct access *a,
                    unsigned *ahead);
/* The condition (i1; NULL: always) under which an access with a known stride has it. */
LLVMValueRef access_condition(const struct access *a);

/* ---- strided.c ------------------------------------------------------------------------------- */

/* Builds the ways for lanes that read one address, and for strides of two to four words. */
void access_read_strided(struct jit_build *j, struct access *a);
void access_write_strided(struct jit_build *j, struct access *a);
/* Stores words of strides of `parts` words from `host` on; those that are NULL in `data` stay
 * unchanged, but never the first. Returns the instruction. */
LLVMValueRef access_store_parts(struct jit_build *j, LLVMValueRef host, const LLVMValueRef *data,
                                unsigned parts);

/* ---- merge.c --------------------------------------------------------------------------------- */

/* Builds the way of a write to strides that an earlier one has found, or lets a later one follow
 * this one. The other ways are built behind. */
void access_begin_merging(struct jit_build *j, struct access *a);
/* Before a read: stores the words that wait for later ones, if they may be those that are read. */
void access_store_before(struct jit_build *j, const struct access_found *found);
/* Continues if the condition holds; if not, stores the words that wait from `host` on, and branches
 * to `otherwise` (NULL: continues). */
void access_store_unless(struct jit_build *j, LLVMValueRef cond, LLVMValueRef host,
                         LLVMBasicBlockRef otherwise);

/* ---- quad.c ---------------------------------------------------------------------------------- */

/* Whether words of this access can be read four at a time. */
bool access_has_quads(const struct jit_build *j, const struct access *a);
/* Reads four words of each lane that accesses, from a vector of host addresses on. */
void access_read_quads(struct jit_build *j, const struct access *a, LLVMValueRef at,
                       LLVMValueRef *words);
/* Writes four words of each lane that accesses, lane after lane. */
void access_write_quads(struct jit_build *j, const struct access *a, LLVMValueRef at,
                        const LLVMValueRef *words);
/* Does the same for all lanes, whose host addresses are pointers to vectors of four words. */
void access_load_quads(struct jit_build *j, const LLVMValueRef *place, LLVMValueRef *words);
void access_store_quads(struct jit_build *j, const LLVMValueRef *place, const LLVMValueRef *words);

/* Loads a word of each lane; stores words of the lanes that access, one after the other. */
LLVMValueRef access_load_all(struct jit_build *j, LLVMTypeRef type, const LLVMValueRef *place);
void access_store_all(struct jit_build *j, const LLVMValueRef *place, LLVMValueRef words);
void access_store_each(struct jit_build *j, const struct access *a, LLVMValueRef at,
                       LLVMValueRef words);

/* ---- thread.c -------------------------------------------------------------------------------- */

/* Whether the access is one to memory of threads. Bundles that met other memory when they were
 * recorded count as accesses to that. */
bool access_is_of_threads(const struct jit_build *j, const struct access *a);
/* Builds the way for memory of threads that is in the span of known pages for all lanes. A write
 * takes it if all lanes access. */
void access_read_threads(struct jit_build *j, struct access *a);
void access_write_threads(struct jit_build *j, struct access *a);
/* Does the same for an address with an index. */
void access_read_indexed(struct jit_build *j, struct access *a);
void access_write_indexed(struct jit_build *j, struct access *a);
/* Words of this way: one of each lane, or four at once, to which way->quad is set. */
access_word_fn access_thread_word;
void access_read_thread_quads(struct jit_build *j, struct access_way *way);
/* The word at an address, if the trace has read or written it in the active lanes; NULL: it must be
 * read. */
LLVMValueRef access_known_word(struct jit_build *j, jit_value address);
/* Notes the word that an access has read or written, `ahead` bytes behind its address. A write to
 * other memory may change words that are known, so they are forgotten. */
void access_note_word(struct jit_build *j, const struct access *a, uint64_t ahead, LLVMValueRef v);

#endif
