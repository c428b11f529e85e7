"""Visitors of trees that Python makes: methods named by the class of a node, and the reasons of refusals."""

import json

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order, refuses
from visited_trees import Visitor, node_of

from sct import value_and_grad

X = np.array([0.5, 0.7, -0.3])
TREE = '{"i": 0, "kids": [{"i": 1}, {"i": 2}, {"i": 0, "kids": [{"i": 1}]}]}'


class GivesAnArray(Visitor):
    def visit_Leaf(self, node):
        return self.x * node.i


class HidesAMethod(Visitor):
    def __init__(self, x):
        self.x, self.visit_Leaf = x, lambda node: 1.0


class HasANumber(Visitor):
    visit_count = 3


def total(cls):
    return lambda x, tree: np.sum(cls(x).visit(json.loads(tree, object_hook=node_of))) * 1.0


def in_a_try(x, tree):
    try:
        return Visitor(x).visit(json.loads(tree, object_hook=node_of)) * 1.0
    except ValueError:
        return x[0]


@pytest.mark.parametrize(("f", "code", "reason"), [
    (total(GivesAnArray), "SCT502", "an array on one path and something else on another"),
    (total(HidesAMethod), "SCT505", "it may be `visit_Leaf`, which is an attribute of the object"),
    (total(HasANumber), "SCT505", "it may be `visit_count`, which is an attribute of the object"),
    (in_a_try, "SCT101", "it calls a function that calls itself")])
def test_the_reason_why_a_visitor_is_refused(f, code, reason):
    assert reason in str(refuses(f, X, TREE, code=code))


class ByPercent(Visitor):
    def visit(self, node):
        return getattr(self, "visit_%s" % type(node).__name__.lower())(node)

    def visit_leaf(self, node):
        return self.x[node.i] ** 2

    def visit_node(self, node):
        return sum([self.visit(kid) for kid in node.kids]) * self.x[0]


class BySuper(Visitor):
    def visit(self, node):
        return super().visit(node) * 2.0


class MapsAndSums(Visitor):
    def visit_Node(self, node):
        return sum(map(self.visit, node.kids)) + self.x[node.i]


class MapsInALoop(Visitor):
    def visit_Node(self, node):
        total = 0.0
        for k, v in enumerate(map(self.visit, node.kids)):
            total = total * self.x[0] + v * k
        return total


class MapsAndZips(Visitor):
    def visit_Node(self, node):
        return sum(v * kid.i for kid, v in zip(node.kids, map(self.visit, node.kids))) + self.x[1]


class MapsToAList(Visitor):
    def visit_Node(self, node):
        return np.sum(np.sin(np.array([0.5, *list(map(self.visit, node.kids))])))


class TakesTheLargest(Visitor):
    def visit_Node(self, node):
        return max(map(self.visit, node.kids), default=self.x[1])


TREES = (TREE, '{"i": 2, "kids": []}', '{"i": 1}', '{"i": 1, "kids": [{"i": 2, "kids": [{"i": 0}, {"i": 1}]}]}')


@pytest.mark.parametrize("cls", [
    ByPercent, BySuper, MapsAndSums, MapsInALoop, MapsAndZips, MapsToAList, TakesTheLargest])
def test_visitors(cls):
    derivative = value_and_grad(total(cls))
    for tree in TREES:
        agrees(total(cls), X, tree, derivative=derivative)
        agrees_in_second_order(total(cls), X, tree)
