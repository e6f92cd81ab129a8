/* Network frames in recordings: a replay delivers them at the same places without the back end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/base/error.h"
#include "runtime/dev/net.h"
#include "runtime/obs/journal.h"

/* A back end that answers each frame twice, with its first byte plus 1 and plus 2. */
struct echo {
    struct net_backend backend;
    unsigned sent;
};

static void echo_send(struct net_backend *net, const uint8_t *frame, size_t len)
{
    struct echo *echo = (struct echo *)(void *)net;

    assert_int_equal(len, 1);
    echo->sent++;
    net_receive(net, (const uint8_t[]){(uint8_t)(frame[0] + 1)}, 1);
    net_receive(net, (const uint8_t[]){(uint8_t)(frame[0] + 2)}, 1);
}

static void echo_destroy(struct net_backend *net)
{
    (void)net;
}

/* What the card received, with the turn. */
struct card {
    char text[200];
    unsigned turn;
};

static void card_receive(void *opaque, const uint8_t *frame, size_t len)
{
    struct card *card = opaque;
    size_t at = strlen(card->text);

    snprintf(card->text + at, sizeof(card->text) - at, "%u:%zu:%u ", card->turn, len, frame[0]);
}

/* Three turns: a frame comes, one is sent, and one of each. */
static void run_turns(struct net_backend *net, struct net_backend *inner, struct journal *j,
                      struct card *card)
{
    net->receive = card_receive;
    net->card = card;
    for (card->turn = 0; card->turn < 3; card->turn++) {
        const struct journal_entry *e;

        journal_set_turn(j, card->turn);
        if (inner && card->turn != 1)
            net_receive(inner, (const uint8_t[]){(uint8_t)(100 + card->turn), 0}, 2);
        while ((e = journal_peek(j)) != NULL && e->turn == card->turn && e->kind < JOURNAL_END) {
            struct journal_entry now = *e;

            journal_step(j);
            assert_int_equal(now.kind, JOURNAL_FRAME);
            assert_int_equal(now.source, 3);
            net_receive(net, now.bytes, now.len);
        }
        if (!card->turn)
            continue;
        strcat(card->text, "sends ");
        net->send(net, (const uint8_t[]){(uint8_t)(10 * card->turn)}, 1);
    }
}

static void test_frames(void **state)
{
    char path[] = "journal-XXXXXX";
    struct echo echo = {.backend = {"echo", echo_send, echo_destroy, NULL, NULL}};
    struct card recorded = {.turn = 0}, replayed = {.turn = 0};
    struct error err = {0};
    struct net_backend *net;
    struct journal *j;

    (void)state;
    close(mkstemp(path));
    j = journal_record(path, &err);
    assert_non_null(j);
    journal_begin(j, "about");
    net = net_journal_new(&echo.backend, j, 3);
    run_turns(net, &echo.backend, j, &recorded);
    net->destroy(net);
    assert_true(journal_close(j, &err));
    assert_string_equal(recorded.text, "0:2:100 sends 1:1:11 1:1:12 2:2:102 sends 2:1:21 2:1:22 ");

    j = journal_replay(path, &err);
    assert_non_null(j);
    assert_string_equal(journal_about(j), "about");
    net = net_journal_new(NULL, j, 3);
    run_turns(net, NULL, j, &replayed);
    assert_string_equal(replayed.text, recorded.text);
    assert_int_equal(echo.sent, 2);
    assert_int_equal(journal_peek(j)->kind, JOURNAL_END);
    assert_null(journal_diverged(j));
    net->destroy(net);
    journal_close(j, &err);
    unlink(path);
}

/* A guest that asks for what the recorded one did not ask, or in another turn, is another. */
static void test_other_questions(void **state)
{
    char path[] = "journal-XXXXXX";
    struct error err = {0};
    struct journal *j;

    (void)state;
    close(mkstemp(path));
    j = journal_record(path, &err);
    journal_begin(j, "");
    journal_set_turn(j, 7);
    journal_write(j, JOURNAL_FILES, 2, "answer", 6);
    assert_true(journal_close(j, &err));
    for (unsigned i = 0; i < 4; i++) {
        j = journal_replay(path, &err);
        journal_set_turn(j, i == 1 ? 8 : 7);
        assert_int_equal(
            journal_take(j, i == 2 ? JOURNAL_FRAME_BACK : JOURNAL_FILES, i == 3 ? 1 : 2) != NULL,
            i == 0);
        assert_int_equal(journal_diverged(j) == NULL, i == 0);
        journal_close(j, &err);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_other_questions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
