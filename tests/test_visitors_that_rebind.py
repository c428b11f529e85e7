"""Visitors of trees that Python makes, which bind an attribute anew in each visit."""

import json

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order
from visited_trees import Visitor, node_of

X = np.array([0.5, 0.7, -0.3])
TREES = ('{"i": 0, "kids": [{"i": 1}, {"i": 2}]}',
         '{"i": 0, "kids": [{"i": 1, "kids": [{"i": 2}]}, {"i": 2}, {"i": 1, "kids": []}]}', '{"i": 1}')


class RebindsBeforeALoop(Visitor):
    def visit_Node(self, node):
        self.x = self.x * 1.25
        total = 0.0
        for kid in node.kids:
            total += self.visit(kid)
        return total


class RebindsBeforeASum(Visitor):
    def visit_Node(self, node):
        self.x = np.sin(self.x)
        return sum([self.visit(kid) for kid in node.kids])


class RebindsInTheLoop(Visitor):
    def visit_Node(self, node):
        total = 0.0
        for kid in node.kids:
            total += self.visit(kid)
            self.x = self.x * 1.25
        return total


class RebindsACopy(Visitor):
    def visit_Node(self, node):
        self.x = self.x.copy()
        self.x[node.i] *= 1.25
        return sum(self.visit(kid) for kid in node.kids)


class RebindsInTheLeaf(RebindsBeforeALoop):
    def visit_Leaf(self, node):
        self.x = self.x * self.x
        return self.x[node.i]


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("cls", [
    RebindsBeforeALoop, RebindsBeforeASum, RebindsInTheLoop, RebindsACopy, RebindsInTheLeaf])
def test_a_visit_that_binds_the_array_anew(cls, tree):
    def f(x, tree):
        return cls(x).visit(json.loads(tree, object_hook=node_of)) * 1.0

    agrees(f, X, tree)
    agrees_in_second_order(f, X, tree)
