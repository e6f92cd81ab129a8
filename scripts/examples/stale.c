/*
 * A kernel module for scripts/examples/panic. It keeps a list of requests, and its serve() writes
 * over the link of one. Nothing is seen of that until the list is walked, when the parameter
 * `walk` is written.
 */
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>

struct request {
    struct list_head link;
    unsigned long number;
};

static LIST_HEAD(requests);

static noinline void add(unsigned long number)
{
    struct request *r = kzalloc(sizeof(*r), GFP_KERNEL);

    r->number = number;
    list_add_tail(&r->link, &requests);
}

/* The mistake: the counter of what was served stands where the link is. */
static noinline void serve(struct request *r)
{
    unsigned long *served = (unsigned long *)r;

    *served = r->number * 3;
}

static noinline unsigned long sum_of_numbers(void)
{
    unsigned long sum = 0;
    struct request *r = list_first_entry(&requests, struct request, link);

    for (; &r->link != &requests; r = list_next_entry(r, link))
        sum += r->number;
    return sum;
}

static int walk(const char *text, const struct kernel_param *parameter)
{
    pr_info("stale: the sum is %lu\n", sum_of_numbers());
    return 0;
}

static const struct kernel_param_ops walk_ops = {.set = walk};
module_param_cb(walk, &walk_ops, NULL, 0200);

static int stale_init(void)
{
    for (unsigned long number = 1; number <= 8; number++)
        add(number);
    serve(list_entry(requests.next->next->next, struct request, link));
    pr_info("stale: eight requests\n");
    return 0;
}

module_init(stale_init);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("corrupts a list, for a debugger that goes backwards");
