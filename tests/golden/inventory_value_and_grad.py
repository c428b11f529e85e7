def inventory_value_and_grad(order_up_to, demand, holding, shortage):
    # order_up_to: float, demand: f64[n], holding: float, shortage: float
    n = len(demand)
    cost = 0.0
    stock = order_up_to
    tape = []
    for k in range(n):
        stock1 = stock - demand[k]
        if stock1 < 0.0:
            cost -= shortage * stock1
            stock = 0.0
        else:
            stock = stock1
        tape.append((stock1, stock))
        cost += holding * stock * stock
        if stock < 0.3 * order_up_to:
            cost += 1.0 + 0.5 * (order_up_to - stock)
            stock = order_up_to
    dstock = 0.0
    dshortage = 0.0
    dorder_up_to = 0.0
    dholding = 0.0
    for _ in reversed(range(n)):
        stock1, stock = tape.pop()
        if stock < 0.3 * order_up_to:
            # cost += 1.0 + 0.5 * (order_up_to - stock)
            dorder_up_to += dstock + 0.5
            dstock = -0.5
        # cost += holding * stock * stock
        dholding += stock * stock
        if stock1 < 0.0:
            # cost -= shortage * stock
            dstock = -shortage
            dshortage -= stock1
        else:
            # cost += holding * stock * stock
            dstock += 2.0 * stock * holding
    dorder_up_to += dstock
    return cost, (dorder_up_to, dholding, dshortage)
