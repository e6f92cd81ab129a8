"""Distance between two lists of numbers: errors and correlations."""
import math


def mape(predicted, measured):
    """Mean absolute percent error."""
    return 100 * mean([abs(p / m - 1) for p, m in zip(predicted, measured)])


def mean(values):
    return sum(values) / len(values)


def geometric(values):
    return math.exp(mean([math.log(v) for v in values]))


def pearson(a, b):
    """Pearson's correlation; None if one of the lists is constant."""
    ma, mb = mean(a), mean(b)
    spread = math.sqrt(sum((x - ma) ** 2 for x in a) * sum((y - mb) ** 2 for y in b))
    return sum((x - ma) * (y - mb) for x, y in zip(a, b)) / spread if spread else None


def ranks(values):
    """Ranks from 1 on; equal numbers share the mean of their ranks."""
    order = sorted(values)
    return [order.index(v) + (order.count(v) + 1) / 2 for v in values]


def spearman(a, b):
    return pearson(ranks(a), ranks(b))


def kendall(a, b):
    """Kendall's tau-b, which allows for equal values."""
    both = only_a = only_b = agree = 0
    for i in range(len(a)):
        for j in range(i):
            x, y = (a[i] > a[j]) - (a[i] < a[j]), (b[i] > b[j]) - (b[i] < b[j])
            agree += x * y
            both += bool(x and y)
            only_a += bool(x and not y)
            only_b += bool(y and not x)
    pairs = math.sqrt((both + only_a) * (both + only_b))
    return agree / pairs if pairs else None
