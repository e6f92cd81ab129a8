"""Places for the nodes of a flow graph: layers from the entry down, crossings made few, edges through places of their own.

The method is Sugiyama's: an edge that goes up is turned round, a node's layer is the longest way to it, an edge over several
layers gets a dummy node in each, layers are sorted by the mean place of their neighbours, and then each node is put as near
to its neighbours as the order allows. Nodes stand in the even layers; the odd ones between have room for the edges' words.
"""
import dataclasses

SWEEPS, STRAIGHT = 8, 8


@dataclasses.dataclass
class Node:
    """A block, the entry or the end; or, without a key, a dummy of an edge."""
    key: object
    width: float
    height: float
    layer: int = 0
    x: float = 0
    y: float = 0
    order: float = 0
    above: list = dataclasses.field(default_factory=list)
    below: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Route:
    """Places through which an edge goes, from its start to its end, and where its words are."""
    points: list
    label: tuple
    up: bool


def layer_of(count, edges):
    """Twice the longest way from the entry; blocks are in the order of their addresses, and edges to one before go up."""
    layers = [0] * count
    into = [[] for _ in range(count)]
    for start, end in edges:
        if start < end:
            into[end].append(start)
    for node in range(1, count):
        layers[node] = max((layers[other] + 2 for other in into[node]), default=layers[node - 1] + 2)
    return layers


def places(count, edges):
    """How many places arrange() has to find: nodes, and dummies of edges."""
    layers = layer_of(count, edges)
    return count + sum(abs(layers[end] - layers[start]) for start, end in edges)


def chain(grid, top, bottom, label):
    """Dummies from one node to one in a lower layer; the one in the middle has the words."""
    middle = (top.layer + bottom.layer) // 2 | 1
    last, dummies = top, []
    for layer in range(top.layer + 1, bottom.layer):
        wide, high = label if layer == middle else (12, 0)
        dummy = Node(None, wide, high, layer)
        grid[layer].append(dummy)
        last.below.append(dummy)
        dummy.above.append(last)
        dummies.append(dummy)
        last = dummy
    last.below.append(bottom)
    bottom.above.append(last)
    return dummies


def sort_layers(grid):
    for layer in grid:
        for n, node in enumerate(layer):
            node.order = n
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for layer in grid if down else reversed(grid):
            for node in layer:
                others = node.above if down else node.below
                if others:
                    node.order = sum(other.order for other in others) / len(others)
            layer.sort(key=lambda node: node.order)
            for n, node in enumerate(layer):
                node.order = n


def settle(layer, wished, gap):
    """The places nearest to those wished, by least squares, that keep order and distance: neighbours that would overlap
    become one group, whose place is the mean of theirs."""
    offset, offsets = 0, []
    for n, node in enumerate(layer):
        offset += (layer[n - 1].width + node.width) / 2 + gap if n else 0
        offsets.append(offset)
    groups = []
    for n, wish in enumerate(wished):
        groups.append([wish - offsets[n], 1])
        while len(groups) > 1 and groups[-2][0] > groups[-1][0]:
            mean, size = groups.pop()
            groups[-1] = [(groups[-1][0] * groups[-1][1] + mean * size) / (groups[-1][1] + size), groups[-1][1] + size]
    places = [mean for mean, size in groups for _ in range(size)]
    for node, place, offset in zip(layer, places, offsets):
        node.x = place + offset


def pull(node, others):
    """The mean place of the neighbours; the parts of one long edge hold each other most, so that it is straight."""
    weights = [STRAIGHT if node.key is None and other.key is None else 1 for other in others]
    return sum(w * other.x for w, other in zip(weights, others)) / sum(weights) if others else node.x


def place(grid, gap):
    for layer in grid:
        settle(layer, [0] * len(layer), gap)
    for sweep in range(2 * SWEEPS):
        for layer in grid if sweep % 2 == 0 else reversed(grid):
            wished = []
            for node in layer:
                others = (node.above if sweep % 2 == 0 else node.below) if sweep < 2 * SWEEPS - 4 else node.above + node.below
                wished.append(pull(node, others))
            settle(layer, wished, gap)
    left = min((node.x - node.width / 2 for layer in grid for node in layer), default=0)
    for layer in grid:
        for node in layer:
            node.x -= left


def stand(grid, space):
    """Heights; the whole's height."""
    y = 0
    for layer in grid:
        high = max((node.height for node in layer), default=0)
        for node in layer:
            node.y = y + high / 2
        y += high + (space if high else space / 2)
    return y - space


def route_of(dummies, start, end):
    points = [(node.x, node.y) for node in dummies]
    label = next(((node.x, node.y) for node in dummies if node.height), None)
    return Route(points[::-1] if start > end else points, label, start > end)


def arrange(sizes, edges, labels, gap=18, space=16):
    """Nodes with (width, height) by number in `sizes`, edges as pairs of numbers, words of edges as (width, height).

    Returns the nodes, the routes (None for an edge from a node to itself), and width and height of it all.
    """
    layers = layer_of(len(sizes), edges)
    nodes = [Node(n, *size, layer=layers[n]) for n, size in enumerate(sizes)]
    grid = [[] for _ in range(max(layers, default=0) + 1)]
    for node in nodes:
        grid[node.layer].append(node)
    chains = {}
    for n, (start, end) in enumerate(edges):
        if start != end:
            top, bottom = sorted((nodes[start], nodes[end]), key=lambda node: (node.layer, node.key))
            chains[n] = chain(grid, top, bottom, labels[n])
    sort_layers(grid)
    place(grid, gap)
    high = stand(grid, space)
    routes = [route_of(chains[n], *edge) if n in chains else None for n, edge in enumerate(edges)]
    wide = max((node.x + node.width / 2 for layer in grid for node in layer), default=0)
    return nodes, routes, wide, high
