import math


def linked_list_grad(x, n):
    # x: float, n: int
    link_value = []
    link_next = []
    link_value.append(1.0)
    link_next.append(None)
    head = len(link_value) - 1
    for i in range(n):
        value = x * i
        link_value.append(value)
        link_next.append(head)
        head = len(link_value) - 1
    node = head
    tape = []
    while link_next[node] is not None:
        link_value_node = link_value[node]
        tape.append((node, link_value_node))
        value_sin = math.sin(link_value_node)
        link_next_node = link_next[node]
        value = value_sin + link_value[link_next_node]
        link_value[node] = value
        node = link_next_node
    value = x * x
    link_value[node] = value
    total = 0.0
    total_tape = []
    while head is not None:
        total_tape.append((total, head))
        total = x * total + link_value[head]
        head = link_next[head]
    dlink_value = [0.0] * len(link_value)
    dtotal = 1.0
    dx = 0.0
    while total_tape:
        total, head_prev = total_tape.pop()
        # total = x * total + head.value
        dlink_value[head_prev] += dtotal
        dtotal_times_x = dtotal * x
        dx += dtotal * total
        dtotal = dtotal_times_x
    # node.value = x * x
    dlink_value_node = dlink_value[node]
    dlink_value[node] = 0.0
    dx += 2.0 * dlink_value_node * x
    while tape:
        node_prev, link_value_node = tape.pop()
        # node.value = math.sin(node.value) + node.next.value
        dlink_value_node = dlink_value[node_prev]
        dlink_value[node_prev] = dlink_value_node * math.cos(link_value_node)
        dlink_value[node] += dlink_value_node
        node = node_prev
    for i in reversed(range(n)):
        # head = Link(x * i, head)
        dlink_value_last = dlink_value.pop()
        dx += dlink_value_last * i
    return dx
