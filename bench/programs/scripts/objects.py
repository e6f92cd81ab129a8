"""Objects, dictionaries, strings and big integers."""


class Node:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None

    def insert(self, key):
        node = self
        while True:
            side = "left" if key < node.key else "right"
            child = getattr(node, side)
            if child is None:
                setattr(node, side, Node(key))
                return
            node = child

    def depth(self):
        below = [child.depth() for child in (self.left, self.right) if child]
        return 1 + max(below, default=0)


def primes(limit):
    sieve = bytearray([1]) * limit
    for n in range(2, int(limit ** 0.5) + 1):
        if sieve[n]:
            sieve[n * n::n] = bytes(len(range(n * n, limit, n)))
    return sum(sieve) - 2


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


seed = 1
root = Node(1 << 30)
words = {}
for _ in range(40000):
    seed = (seed * 1103515245 + 12345) & 0x7fffffff
    root.insert(seed)
    word = f"{seed % 3000:04d}"
    words[word] = words.get(word, 0) + 1
print(root.depth(), max(words.values()), primes(2000000), fibonacci(8000) % 1000007)
print(sum(len(" ".join(sorted(words)[i:i + 50]).split()) for i in range(0, len(words), 10)))
