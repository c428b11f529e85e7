import numpy as np


def _sift_down_1_forward(heap_0, heap_1, start, pos):
    item_0 = heap_0[pos]
    item_1 = heap_1[pos]
    tape = []
    while pos > start:
        parent = pos - 1 >> 1
        heap_0_parent = heap_0[parent]
        heap_1_parent = heap_1[parent]
        t = (
            item_1 < heap_1_parent
            if item_0 == heap_0_parent
            else item_0 < heap_0_parent
        )
        if t:
            heap_0[pos] = heap_0_parent
            heap_1[pos] = heap_1_parent
            pos_now = parent
            done = False
        else:
            pos_now = pos
            done = True
        tape.append((pos, not t))
        pos = pos_now
        if done:
            break
    trips = len(tape)
    heap_0[pos] = item_0
    heap_1[pos] = item_1
    return heap_0, heap_1, (pos, trips, tape)


def _sift_down_1_backward(pos, residuals, dheap_0):
    pos1, trips, tape = residuals
    # heap[pos] = item
    dheap_0_pos = dheap_0[pos1]
    dheap_0[pos1] = 0.0
    for i in reversed(range(trips)):
        pos_prev, t = tape[i]
        parent = pos_prev - 1 >> 1
        if not t:
            # heap[pos] = heap[parent]
            dheap_0_pos1 = dheap_0[pos_prev]
            dheap_0[pos_prev] = 0.0
            dheap_0[parent] += dheap_0_pos1
    dheap_0[pos] += dheap_0_pos
    return dheap_0


def heappush_1_forward(heap_0, heap_1, t, t1):
    heap_0.append(t)
    heap_1.append(t1)
    len_heap_0 = len(heap_0)
    heap_0, heap_1, residuals = _sift_down_1_forward(heap_0, heap_1, 0, len_heap_0 - 1)
    return heap_0, heap_1, (len_heap_0 - 1, residuals)


def heappush_1_backward(residuals, dheap_0):
    t, residuals = residuals
    dheap_0 = _sift_down_1_backward(t, residuals, dheap_0)
    # heap.append(item)
    dheap_0_last = dheap_0.pop()
    return dheap_0, dheap_0_last


def _sift_up_forward(heap_0, heap_1, pos):
    end = len(heap_0)
    item_0 = heap_0[pos]
    item_1 = heap_1[pos]
    child = 2 * pos + 1
    pos_now = pos
    tape = []
    while child < end:
        tape.append(pos_now)
        child_now = child + 1
        if child_now < end:
            heap_0_child = heap_0[child]
            heap_0_next = heap_0[child_now]
            t = not (
                heap_1[child] < heap_1[child_now]
                if heap_0_child == heap_0_next
                else heap_0_child < heap_0_next
            )
        else:
            t = False
        if not t:
            child_now = child
        heap_0[pos_now] = heap_0[child_now]
        heap_1[pos_now] = heap_1[child_now]
        child = 2 * child_now + 1
        pos_now = child_now
    trips = len(tape)
    heap_0[pos_now] = item_0
    heap_1[pos_now] = item_1
    heap_0, heap_1, residuals = _sift_down_1_forward(heap_0, heap_1, pos, pos_now)
    return heap_0, heap_1, (pos_now, trips, tape, residuals)


def _sift_up_backward(pos, residuals, dheap_0):
    pos1, trips, tape, residuals = residuals
    dheap_0 = _sift_down_1_backward(pos1, residuals, dheap_0)
    # heap[pos] = item
    dheap_0_pos = dheap_0[pos1]
    dheap_0[pos1] = 0.0
    child = pos1
    for i in reversed(range(trips)):
        pos_prev = tape[i]
        # heap[pos] = heap[child]
        dheap_0_pos1 = dheap_0[pos_prev]
        dheap_0[pos_prev] = 0.0
        dheap_0[child] += dheap_0_pos1
        child = pos_prev
    dheap_0[pos] += dheap_0_pos
    return dheap_0


def heappop_forward(heap_0, heap_1):
    if not len(heap_0) > 0:
        raise IndexError("index out of range")
    last_0 = heap_0.pop()
    last_1 = heap_1.pop()
    if len(heap_0) > 0:
        first_0 = heap_0[0]
        first_1 = heap_1[0]
        heap_0[0] = last_0
        heap_1[0] = last_1
        heap_0, heap_1, residuals = _sift_up_forward(heap_0, heap_1, 0)
        return first_0, first_1, heap_0, heap_1, (residuals,)
    return last_0, last_1, heap_0, heap_1, None


def heappop_backward(residuals, dvalue, dheap_0):
    if residuals is None:
        dlast_0 = dvalue
    else:
        residuals = residuals[0]
        dheap_0 = _sift_up_backward(0, residuals, dheap_0)
        dlast_0 = dheap_0[0]
        dheap_0[0] = dvalue
    dheap_0.append(dlast_0)
    return dheap_0


def shortest_paths_grad(w):
    # w: f64[n, n]
    n = len(w)
    dist = np.full(n, np.inf)
    dist[0] = 0.0
    heap_0 = [0.0]
    heap_1 = [0]
    tape = []
    tape1 = []
    while len(heap_0) > 0:
        d, u, heap_0, heap_1, residuals = heappop_forward(heap_0, heap_1)
        d_above_dist_u = d > dist[u]
        tape.append((u, residuals, d_above_dist_u))
        if not d_above_dist_u:
            tape2 = []
            residuals_tape = []
            for v in range(n):
                nd = d + w[u, v] ** 2
                nd_below_dist_v = nd < dist[v]
                tape2.append(nd_below_dist_v)
                if nd_below_dist_v:
                    dist[v] = nd
                    heap_0, heap_1, residuals = heappush_1_forward(
                        heap_0, heap_1, nd, v
                    )
                else:
                    residuals = None
                residuals_tape.append(residuals)
            tape1.append((tape2, residuals_tape))
    # return np.sum(dist)
    ddist = np.ones_like(dist)
    dheap_0 = [0.0] * len(heap_0)
    dw = np.zeros_like(w)
    while tape:
        u, residuals, d_above_dist_u = tape.pop()
        if d_above_dist_u:
            dd = 0.0
        else:
            tape2, residuals_tape = tape1.pop()
            dd = 0.0
            for v in reversed(range(n)):
                t = tape2[v]
                residuals_prev = residuals_tape[v]
                if t:
                    # heapq.heappush(heap, (nd, v))
                    dheap_0, dnd = heappush_1_backward(residuals_prev, dheap_0)
                    # dist[v] = nd
                    dnd += ddist[v]
                    ddist[v] = 0.0
                    # nd = d + w[u, v] ** 2
                    dd += dnd
                    dw[u, v] += 2.0 * dnd * w[u, v]
        # d, u = heapq.heappop(heap)
        dheap_0 = heappop_backward(residuals, dd, dheap_0)
    return dw
