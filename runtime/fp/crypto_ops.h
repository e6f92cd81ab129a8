/*
 * Steps of AES (FIPS 197) and SHA-256 (FIPS 180-4) for which the host has instructions: what
 * translated code does in place of a call. Each operand is a vector of 128 bits, passed to the
 * function as two halves, the lower one first.
 */
#ifndef RUNTIME_FP_CRYPTO_OPS_H
#define RUNTIME_FP_CRYPTO_OPS_H

enum crypto_op {
    CRYPTO_NONE,
    CRYPTO_ENCRYPT, /* SubBytes(ShiftRows(a ^ b)) */
    CRYPTO_DECRYPT, /* InvSubBytes(InvShiftRows(a ^ b)) */
    CRYPTO_MIX,     /* MixColumns(a) */
    CRYPTO_UNMIX,   /* InvMixColumns(a) */
    CRYPTO_ROUND,   /* CRYPTO_MIX of CRYPTO_ENCRYPT: no function does both */
    CRYPTO_UNROUND, /* CRYPTO_UNMIX of CRYPTO_DECRYPT */
    CRYPTO_HASH_1,  /* four rounds with words c; hash words a to d are in a, e to h in b: a to d */
    CRYPTO_HASH_2,  /* the same with words e to h in a, and a to d in b: e to h */
    CRYPTO_MESSAGE_1, /* the two parts of a schedule's next words */
    CRYPTO_MESSAGE_2,
    /* What hosts whose instruction does two rounds have in place of CRYPTO_HASH_1 and 2. */
    CRYPTO_LOW_WORDS,  /* words 1 and 0 of a, then of b */
    CRYPTO_HIGH_WORDS, /* words 3 and 2 of a, then of b */
    CRYPTO_ROUNDS_1, /* f, e, b, a after two rounds from h, g, d, c (a) and f, e, b, a (b), which is
                          h, g, d, c then, with words 0 and 1 of c */
    CRYPTO_ROUNDS_2, /* the same with words 2 and 3 */
};

/* What a function computes, if this host has instructions for it; else CRYPTO_NONE. */
enum crypto_op crypto_op_of(const void *fn);

/* For which of these functions it has some, as a number. */
unsigned crypto_ops_here(void);

#endif
