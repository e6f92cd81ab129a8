"""View 6: the control-flow graph with divergence, as a picture, as a file of its own and for Graphviz."""
import dataclasses

import bars
import colours
import layers
import units
from facts import costs, title, words
from markup import absent, cell, escape, figure, link, paragraph, table, tag
from svg import rect, text

NAME, TITLE = "flow", "Control flow"
ABOUT = ("Blocks of the code with how often warps ran them and with how many lanes, and the edges between; look for edges marked "
         "◆, where lanes of a warp went different ways.")
MOST, MOST_PLACES = 400, 40000  # blocks of a picture; blocks and parts of edges
NODE, LETTER, END = (176, 62), 6.1, (64, 24)


@dataclasses.dataclass
class Graph:
    """Numbers of nodes: 0 is the entry, then the blocks, then the end."""
    kernel: dict
    report: dict
    edges: list
    divergent: set


def graph_of(kernel, report):
    last = len(kernel["blocks"]) + 1
    edges = [edge for edge in kernel.get("edges", []) if edge.get("warps") or edge["from"] is None or edge["to"] is None or not edge.get("kind") == "indirect"]
    pairs = [(0 if edge["from"] is None else edge["from"] + 1, last if edge["to"] is None else edge["to"] + 1) for edge in edges]
    divergent = {n for n, (edge, pair) in enumerate(zip(edges, pairs)) if edge.get("divergent")}
    return Graph(kernel, report, list(zip(pairs, edges)), divergent)


def name_of(graph, n):
    """First and last bundle of a block."""
    block, bundles = graph.kernel["blocks"][n - 1], graph.kernel["bundles"]
    first, last = bundles[block["first"]]["name"], bundles[block["first"] + max(block["count"], 1) - 1]["name"]
    return first if first == last else f"{first} … {last.rsplit('_', 1)[-1]}"


def lines_of(graph, n, shares):
    """The words of a block."""
    block = graph.kernel["blocks"][n - 1]
    warps, lanes = block.get("warps", 0), block.get("lanes", 0)
    out = [cut(name_of(graph, n), 25), f"{units.count(warps)} × {lanes / warps:.2f} lanes" if warps else "never executed",
           f"{units.plural(block['count'], words(graph.report)['bundle'])}, {units.percent(shares[n - 1])} of cost"]
    return out


def cut(words_, most):
    return words_ if len(words_) <= most else words_[:most - 1] + "…"


def label_of(edge):
    lanes = f" × {edge['lanes'] / edge['warps']:.1f}" if edge.get("warps") and "lanes" in edge else ""
    return units.count(edge.get("warps", 0)) + lanes + (f" ◆ {units.count(edge['divergent'])}" if edge.get("divergent") else "")


def shares_of(kernel):
    found, _ = costs(kernel)
    whole = sum(found) or 1
    return [sum(found[b["first"]:b["first"] + b["count"]]) / whole for b in kernel["blocks"]]


def draw_block(graph, node, shares, target):
    block = graph.kernel["blocks"][node.key - 1]
    x, y, (wide, high) = node.x - node.width / 2, node.y - node.height / 2, NODE
    divergent = any(pair[0] == node.key and n in graph.divergent for n, (pair, _) in enumerate(graph.edges))
    more = f'rx="5" stroke="var(--{"hot" if divergent else "axis"})" stroke-width="{2.5 if divergent else 1}"' + ("" if block.get("warps") else ' stroke-dasharray="4 3"')
    share = shares[node.key - 1]
    out = [rect(x, y, wide, high, "var(--panel)", more), rect(x + 6, y + high - 11, wide - 12, 5, "var(--row)")]
    if share:
        out.append(rect(x + 6, y + high - 11, (wide - 12) * min(share, 1), 5, "var(--hot)"))
    for n, line in enumerate(lines_of(graph, node.key, shares)):
        out.append(text(node.x, y + 16 + 15 * n, line, size=11, more='font-weight="600"' if n == 0 else ""))
    body = "".join(out)
    return f'<a href="#{target}-b{block["first"]}">{body}</a>' if target else body


def curve(points):
    """Straight down at every place, smooth between."""
    out = [f"M{points[0][0]:.1f},{points[0][1]:.1f}"]
    for (x1, y1), (x2, y2) in zip(points, points[1:]):
        middle = (y1 + y2) / 2
        out.append(f"C{x1:.1f},{middle:.1f} {x2:.1f},{middle:.1f} {x2:.1f},{y2:.1f}")
    return " ".join(out)


def tip(x, y, down, style):
    side = -1 if down else 1
    return f'<path d="M{x:.1f},{y:.1f} l-4.5,{side * 8} h9 z" fill="{style}"/>'


def draw_edge(graph, n, nodes, route):
    (start, end), edge = graph.edges[n]
    from_, to = nodes[start], nodes[end]
    hot = n in graph.divergent
    style, width = ("var(--hot)", 2.5) if hot else ("var(--axis)", 1.25)
    dash = "" if edge.get("warps") else ' stroke-dasharray="3 3"'
    if route is None:
        x, y = from_.x + from_.width / 2, from_.y
        return [f'<path d="M{x:.1f},{y - 10:.1f} c26,-8 26,28 4,20" fill="none" stroke="{style}" stroke-width="{width}"/>',
                f'<path d="M{x:.1f},{y + 10:.1f} l8,-5 v9 z" fill="{style}"/>', text(x + 22, y + 4, label_of(edge), "start", 10)]
    down = not route.up
    begin = (from_.x + (0 if down else 20), from_.y + (1 if down else -1) * from_.height / 2)
    stop = (to.x + (0 if down else 20), to.y - (1 if down else -1) * to.height / 2)
    points = [begin, *route.points, (stop[0], stop[1] - (6 if down else -6))]
    parts = [f'<path d="{curve(points)}" fill="none" stroke="{style}" stroke-width="{width}"{dash}/>', tip(*stop, down, style)]
    if route.label:
        x, y = route.label
        words_ = label_of(edge)
        wide = LETTER * len(words_)
        parts += [rect(x - wide / 2 - 2, y - 7, wide + 4, 14, "var(--page)", 'fill-opacity="0.9"'),
                  text(x, y + 4, words_, size=10, more='font-weight="700"' if hot else "")]
    return parts


def arrange(graph):
    blocks = len(graph.kernel["blocks"])
    sizes = [END] + [NODE] * blocks + [END]
    labels = [(LETTER * len(label_of(edge)) + 10, 14) for _, edge in graph.edges]
    return layers.arrange(sizes, [pair for pair, _ in graph.edges], labels)


def draw(graph, target):
    """Parts of a picture, its width and height; `target`: the kernel's place in the page, for links."""
    nodes, routes, wide, high = arrange(graph)
    shares, parts = shares_of(graph.kernel), []
    for n, route in enumerate(routes):
        parts += draw_edge(graph, n, nodes, route)
    for node in nodes[1:-1]:
        parts.append(draw_block(graph, node, shares, target))
    for node, words_ in ((nodes[0], "entry"), (nodes[-1], "end")):
        parts += [rect(node.x - node.width / 2, node.y - node.height / 2, node.width, node.height, "var(--panel)", 'stroke="var(--axis)" rx="12"'),
                  text(node.x, node.y + 4, words_, size=11)]
    own = 110 if any(route is None for route in routes) else 0
    return [f'<g transform="translate(8 8)">{"".join(parts)}</g>'], wide + 16 + own, high + 16


def about(graph):
    sums = sum(edge.get("divergent", 0) for _, edge in graph.edges)
    return f"{len(graph.kernel['blocks'])} blocks, {len(graph.edges)} edges, {len(graph.divergent)} of them divergent, {sums} divergent executions"


def file(kernel, report):
    """The picture as a file of its own, or None."""
    if not drawable(kernel, report):
        return None
    graph = graph_of(kernel, report)
    parts, wide, high = draw(graph, None)
    css = f"<style>{escape_css(colours.css())}</style>"
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:.0f}" height="{high:.0f}" viewBox="0 0 {wide:.0f} {high:.0f}" '
            f'font-family="sans-serif" fill="var(--ink)" role="img"><title>Control flow of {escape(title(kernel))}</title><desc>{escape(about(graph))}</desc>{css}'
            f'<rect width="100%" height="100%" fill="var(--page)"/>\n' + "\n".join(parts) + "\n</svg>\n")


def escape_css(css):
    return css.replace("&", "&amp;").replace("<", "&lt;")


def quoted(words_):
    return '"' + words_.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


def dot(kernel, report):
    """The same for Graphviz, or None."""
    if not kernel.get("blocks") or not kernel.get("bundles"):
        return None
    graph, shares = graph_of(kernel, report), shares_of(kernel)
    out = [f"digraph {quoted(title(kernel))} {{", '  node [shape=box fontname="sans-serif"];', '  n0 [label="entry" shape=oval];']
    for n in range(1, len(kernel["blocks"]) + 1):
        out.append(f"  n{n} [label={quoted('|'.join(lines_of(graph, n, shares))).replace('|', chr(92) + 'n')}];")
    out.append(f'  n{len(kernel["blocks"]) + 1} [label="end" shape=oval];')
    for n, ((start, end), edge) in enumerate(graph.edges):
        hot = ' color="#d55e00" penwidth=2.5' if n in graph.divergent else ""
        out.append(f"  n{start} -> n{end} [label={quoted(label_of(edge))}{hot}];")
    return "\n".join(out) + "\n}\n"


def drawable(kernel, report):
    if not kernel.get("blocks") or not kernel.get("bundles") or len(kernel["blocks"]) > MOST or len(kernel.get("edges", [])) > 4 * MOST:
        return False
    pairs = [pair for pair, _ in graph_of(kernel, report).edges]
    return layers.places(len(kernel["blocks"]) + 2, pairs) <= MOST_PLACES


def diverging(kernel):
    """A table of the bundles at which lanes diverged."""
    found = sorted(((b["divergent"], n) for n, b in enumerate(kernel["bundles"]) if b.get("divergent")), reverse=True)
    rows = [[cell(("html", link(f"{kernel['id']}-b{n}", kernel["bundles"][n]["name"])), "th"), cell(units.count(times), class_="n"),
             cell(units.percent(times, kernel["bundles"][n]["warps"]), class_="n")] for times, n in found[:20]]
    return table("Where lanes diverged", [("line", ""), ("divergent executions", "n"), ("of its executions", "n")], rows) if rows else ""


def render(kernel, report):
    if not kernel.get("blocks") or not kernel.get("bundles"):
        return absent("the report has no blocks of this kernel: run with -report")
    graph = graph_of(kernel, report)
    # Each direction of a divergent branch says the branch's count, so that the bundles' are summed.
    times = sum(bundle.get("divergent", 0) for bundle in kernel["bundles"])
    out = paragraph(f"{units.plural(len(kernel['blocks']), 'block')}, {units.plural(len(graph.edges), 'edge')}; "
                    f"{units.count(sum(b['count'] * b.get('warps', 0) for b in kernel['blocks']))} {words(report)['bundle']}s were executed by warps, "
                    f"and lanes diverged {units.count(times)} times. An edge says warps × mean lanes, and ◆ with the times a branch diverged.")
    if drawable(kernel, report):
        parts, wide, high = draw(graph, kernel["id"])
        picture = bars.picture(wide, high, parts, f"Control flow of {title(kernel)}", about(graph))
        out += figure(None, picture) + tag("p", f'Files: <a href="cfg-{kernel["id"]}.svg">cfg-{kernel["id"]}.svg</a>, '
                                            f'<a href="cfg-{kernel["id"]}.dot">cfg-{kernel["id"]}.dot</a> for Graphviz.', class_="note")
    else:
        out += tag("p", f'The graph is too large for a picture: <a href="cfg-{kernel["id"]}.dot">cfg-{kernel["id"]}.dot</a> has it for Graphviz.', class_="note")
    return out + diverging(kernel)
