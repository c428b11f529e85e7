"""Trees that Python makes of JSON, and a visitor whose methods are named by the classes of the nodes."""


class Node:
    def __init__(self, d):
        self.kids, self.i = d.get("kids", []), d["i"]


class Leaf(Node):
    pass


def node_of(d):
    return (Node if "kids" in d else Leaf)(d)


class Visitor:
    def __init__(self, x):
        self.x = x

    def visit(self, node):
        return getattr(self, "visit_" + type(node).__name__)(node)

    def visit_Leaf(self, node):
        return self.x[node.i] ** 2

    def visit_Node(self, node):
        return sum(self.visit(kid) for kid in node.kids) * self.x[node.i]
