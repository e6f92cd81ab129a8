"""Mutants of a C source: small changes, one at a time, that a test ought to detect.

    operators    + becomes -, < becomes <=, && becomes ||, |= becomes &=, ++ becomes --
    constants    a number becomes 0 or one more, true becomes false
    statements   an assignment, a call, a break or a continue is left out
    conditions   the condition of an if or a while is negated

The text is split into tokens and not parsed: a change that is not C does not compile, and does not
count. Calls that only write a log are not changed."""
import difflib
import re
from dataclasses import dataclass

TOKEN = re.compile(r"""(?P<space>\s+|\\\n|//[^\n]*|/\*.*?\*/)
                     |(?P<include>^[ \t]*\#[ \t]*(?:include|error|if|ifdef|ifndef|elif|endif)\b[^\n]*)
                     |(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
                     |(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
                     |(?P<name>[A-Za-z_]\w*)
                     |(?P<op>->|\+\+|--|<<=|>>=|&&|\|\||[-+*/%&|^=!<>]=|<<|>>|\.\.\.|.)
                     """, re.X | re.S | re.M)

# Replacements of operators. Those of BINARY have another meaning next to their operand.
BINARY = {"+": "-", "-": "+", "*": "+", "&": "|"}
OPERATORS = {"/": "*", "%": "*", "|": "&", "^": "&", "<<": ">>", ">>": "<<", "&&": "||", "||": "&&",
             "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "++": "--",
             "--": "++", "+=": "-=", "-=": "+=", "*=": "+=", "/=": "*=", "|=": "&=", "&=": "|=",
             "^=": "|=", "<<=": ">>=", ">>=": "<<="}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"}
OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}
WORDS = {"true": "false", "false": "true"}
LOGGING = re.compile(r"(log|device_log)_\w+$")
NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)$")


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int

    @property
    def end(self):
        return self.start + len(self.text)


@dataclass(frozen=True)
class Mutant:
    """A replacement of text[start:end] by `new`."""
    kind: str
    start: int
    end: int
    new: str

    def apply(self, text):
        return text[:self.start] + self.new + text[self.end:]

    def changed(self, text):
        """Returns the lines that differ, before and after, without indentation."""
        first = text.rfind("\n", 0, self.start) + 1
        last = text.find("\n", self.end)
        last = len(text) if last < 0 else last
        after = text[first:self.start] + self.new + text[self.end:last]
        return tuple("\n".join(line.strip() for line in part.splitlines())
                     for part in (text[first:last], after))

    def diff(self, text, path):
        lines = difflib.unified_diff(text.splitlines(), self.apply(text).splitlines(), path, path,
                                     lineterm="", n=2)
        return "\n".join(lines)


def tokens_of(text):
    return [Token(m.lastgroup, m.group(), m.start()) for m in TOKEN.finditer(text)
            if m.lastgroup not in ("space", "include")]


def partners(tokens):
    """Returns the index of the matching bracket for each bracket."""
    found, open_ = {}, []
    for i, token in enumerate(tokens):
        if token.text in OPENING:
            open_.append(i)
        elif token.text in CLOSING and open_:
            other = open_.pop()
            found[other], found[i] = i, other
    return found


def silent(tokens, pairs):
    """Returns the indices of tokens in calls that only write a log."""
    found = set()
    for i, token in enumerate(tokens[:-1]):
        if token.kind == "name" and LOGGING.match(token.text) and i + 1 in pairs:
            found.update(range(i, pairs[i + 1] + 2))
    return found


def operators(tokens, i):
    token = tokens[i]
    if token.text in BINARY and i + 1 < len(tokens) and tokens[i + 1].start > token.end:
        yield Mutant("operator", token.start, token.end, BINARY[token.text])
    elif token.text in OPERATORS:
        yield Mutant("operator", token.start, token.end, OPERATORS[token.text])


def constants(tokens, i):
    token = tokens[i]
    number = NUMBER.match(token.text)
    if token.text in WORDS:
        yield Mutant("constant", token.start, token.end, WORDS[token.text])
    elif token.kind == "number" and number:
        value, suffix = int(number[1], 0 if number[1][:2] in ("0x", "0X") else 10), number[2]
        divides = i and tokens[i - 1].text in ("/", "%", "/=", "%=")
        for new in sorted({value + 1, 1 if divides else 0} - {value}):
            yield Mutant("constant", token.start, token.end, f"{new}{suffix}")


def ends_statement(tokens, i, pairs):
    """Returns the index of the semicolon that ends the statement at i, or None."""
    while i < len(tokens) and tokens[i].text != ";":
        if tokens[i].text in CLOSING or tokens[i].text == "{":
            return None
        i = pairs.get(i, i) + 1
    return i if i < len(tokens) else None


def does_something(tokens, first, last, pairs):
    """Whether the tokens are an assignment or a call, and not a declaration."""
    if tokens[first].text in ("break", "continue"):
        return True
    if tokens[first].text in ("*", "++", "--"):
        return True
    if tokens[first].kind != "name" or tokens[first].text in ("return", "goto", "case", "default"):
        return False
    i = first
    while i < last:
        if tokens[i].text in ASSIGNMENTS:
            return True
        if tokens[i].text == "(" and pairs[i] == last - 1:
            return True
        if i > first and tokens[i].kind == "name" and tokens[i - 1].text not in (".", "->"):
            return False # a type and a name
        i = pairs.get(i, i) + 1
    return False


def begins_statement(tokens, i, pairs):
    if not i:
        return False
    before = tokens[i - 1].text
    if before == ")":
        head = tokens[pairs.get(i - 1, 0) - 1].text
        return head in ("if", "while", "for", "switch")
    return before in (";", "{", "}", "else", "do", ":")


def statements(tokens, i, pairs):
    if not begins_statement(tokens, i, pairs):
        return
    last = ends_statement(tokens, i, pairs)
    if last is not None and does_something(tokens, i, last, pairs):
        yield Mutant("statement", tokens[i].start, tokens[last].end, ";")


def conditions(tokens, i, pairs, text):
    if tokens[i].text in ("if", "while") and i + 1 in pairs:
        start, end = tokens[i + 1].end, tokens[pairs[i + 1]].start
        yield Mutant("condition", start, end, f"!({text[start:end]})")


def bodies(tokens, pairs):
    """Returns the indices of tokens within functions, by the braces after a closing bracket."""
    found, i = set(), 0
    while i < len(tokens):
        if tokens[i].text == "{" and i in pairs:
            if i and tokens[i - 1].text == ")":
                found.update(range(i, pairs[i]))
            i = pairs[i]
        i += 1
    return found


def mutants_of(text):
    """Returns all mutants of a text, in the order of their positions."""
    tokens = tokens_of(text)
    pairs = partners(tokens)
    quiet, inside = silent(tokens, pairs), bodies(tokens, pairs)
    found = []
    for i in range(len(tokens)):
        if i in quiet:
            continue
        found += [*operators(tokens, i), *constants(tokens, i)]
        if i in inside:
            found += [*statements(tokens, i, pairs), *conditions(tokens, i, pairs, text)]
    return sorted(found, key=lambda m: (m.start, m.end, m.new))
