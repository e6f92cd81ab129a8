"""Rows of allowed differences between two texts, by the texts or by the words' bits."""
import re


class Texts:
    """Regular expressions for objdump's text and for ours, and a word that shows the difference."""

    def __init__(self, theirs, ours, reason, word):
        self.theirs, self.ours, self.reason, self.word = re.compile(theirs), re.compile(ours), reason, word

    def covers(self, _, theirs, ours):
        return self.theirs.match(theirs) and self.ours.match(ours)


class Fields(dict):
    """Fields of a word: fields.n is the field with letter n."""
    __getattr__ = dict.__getitem__


class Undefined:
    """Words that are undefined here, by a picture of their bits and a condition on its fields.

    A picture has 0, 1, . for any bit, and one letter per bit of a field: all bits of one letter are
    one field, whose highest bit is first. `when` is a function of the fields."""

    def __init__(self, picture, when, reason, word):
        bits = picture.replace(" ", "")
        self.reason, self.word, self.when = reason, word, when
        place = {i: len(bits) - 1 - i for i in range(len(bits))}
        self.mask = sum(1 << place[i] for i, b in enumerate(bits) if b in "01") | -1 << len(bits)
        self.value = sum(1 << place[i] for i, b in enumerate(bits) if b == "1")
        self.places = {}
        for i, b in enumerate(bits):
            if b.isalpha():
                self.places.setdefault(b, []).append(place[i])

    def covers(self, word, _, ours):
        if ours != "undefined" or word & self.mask != self.value:
            return False
        fields = Fields()
        for name, places in self.places.items():
            value = 0
            for place in places:
                value = value << 1 | (word >> place & 1)
            fields[name] = value
        return self.when(fields)
