import numpy as np


def _sift_down_forward(heap, start, pos):
    item = heap[pos]
    tape = []
    while pos > start:
        parent = pos - 1 >> 1
        heap_parent = heap[parent]
        item_below_heap_parent = item < heap_parent
        if item_below_heap_parent:
            heap[pos] = heap_parent
            pos_now = parent
            done = False
        else:
            pos_now = pos
            done = True
        tape.append((pos, item_below_heap_parent))
        pos = pos_now
        if done:
            break
    iterations = len(tape)
    heap[pos] = item
    return heap, (pos, iterations, tape)


def _sift_down_backward(pos, residuals, dheap):
    pos1, iterations, tape = residuals
    # heap[pos] = item
    dheap_pos = dheap[pos1]
    dheap[pos1] = 0.0
    for i in reversed(range(iterations)):
        pos_prev, item_below_heap_parent = tape[i]
        parent = pos_prev - 1 >> 1
        if item_below_heap_parent:
            # heap[pos] = heap[parent]
            dheap_pos1 = dheap[pos_prev]
            dheap[pos_prev] = 0.0
            dheap[parent] += dheap_pos1
    dheap[pos] += dheap_pos
    return dheap


def heappush_forward(heap, item):
    heap.append(item)
    len_heap = len(heap)
    heap, residuals = _sift_down_forward(heap, 0, len_heap - 1)
    return heap, (len_heap - 1, residuals)


def heappush_backward(residuals, dheap):
    t, residuals = residuals
    dheap = _sift_down_backward(t, residuals, dheap)
    # heap.append(item)
    dheap_last = dheap.pop()
    return dheap, dheap_last


def _sift_up_forward(heap, pos):
    end = len(heap)
    item = heap[pos]
    child = 2 * pos + 1
    pos_now = pos
    tape = []
    while child < end:
        tape.append(pos_now)
        child_now = child + 1
        if not (child_now < end and not heap[child] < heap[child_now]):
            child_now = child
        heap[pos_now] = heap[child_now]
        child = 2 * child_now + 1
        pos_now = child_now
    iterations = len(tape)
    heap[pos_now] = item
    heap, residuals = _sift_down_forward(heap, pos, pos_now)
    return heap, (pos_now, iterations, tape, residuals)


def _sift_up_backward(pos, residuals, dheap):
    pos1, iterations, tape, residuals = residuals
    dheap = _sift_down_backward(pos1, residuals, dheap)
    # heap[pos] = item
    dheap_pos = dheap[pos1]
    dheap[pos1] = 0.0
    child = pos1
    for i in reversed(range(iterations)):
        pos_prev = tape[i]
        # heap[pos] = heap[child]
        dheap_pos1 = dheap[pos_prev]
        dheap[pos_prev] = 0.0
        dheap[child] += dheap_pos1
        child = pos_prev
    dheap[pos] += dheap_pos
    return dheap


def heappop_forward(heap):
    if not len(heap) > 0:
        raise IndexError("index out of range")
    last = heap.pop()
    if len(heap) > 0:
        first = heap[0]
        heap[0] = last
        heap, residuals = _sift_up_forward(heap, 0)
        return first, heap, (residuals,)
    return last, heap, None


def heappop_backward(residuals, dvalue, dheap):
    if residuals is None:
        dlast = dvalue
    else:
        residuals = residuals[0]
        dheap = _sift_up_backward(0, residuals, dheap)
        dlast = dheap[0]
        dheap[0] = dvalue
    dheap.append(dlast)
    return dheap


def huffman_grad(p):
    # p: f64[n]
    heap = []
    tape = []
    for v in p:
        heap, residuals = heappush_forward(heap, v)
        tape.append(residuals)
    residuals_tape = []
    while len(heap) > 1:
        a, heap, residuals = heappop_forward(heap)
        b, heap, b_residuals = heappop_forward(heap)
        a_plus_b = a + b
        heap, heap_residuals = heappush_forward(heap, a_plus_b)
        residuals_tape.append((residuals, b_residuals, a_plus_b, heap_residuals))
    dheap = [0.0] * len(heap)
    while residuals_tape:
        residuals, b_residuals, a_plus_b, heap_residuals = residuals_tape.pop()
        # heapq.heappush(heap, a + b)
        dheap, t = heappush_backward(heap_residuals, dheap)
        # cost += (a + b) ** 2
        da = t + 2.0 * a_plus_b
        # b = heapq.heappop(heap)
        dheap = heappop_backward(b_residuals, da, dheap)
        # a = heapq.heappop(heap)
        dheap = heappop_backward(residuals, da, dheap)
    dp = np.zeros_like(p)
    for i in reversed(range(len(p))):
        residuals = tape.pop()
        # heapq.heappush(heap, v)
        dheap, dv = heappush_backward(residuals, dheap)
        dp[i] = dv
    return dp
