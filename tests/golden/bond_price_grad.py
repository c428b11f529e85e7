import numpy as np


def bond_price_grad(rates, coupon, face):
    # rates: f64[n], coupon: float, face: float
    discount = 1.0
    tape = []
    for rate in rates:
        discount /= 1.0 + rate
        tape.append(discount)
    drates = np.zeros_like(rates)
    ddiscount = face
    dcoupon = 0.0
    for i in reversed(range(len(rates))):
        discount = tape.pop()
        rate = rates[i]
        # price += coupon * discount
        dcoupon += discount
        ddiscount += coupon
        # discount /= 1.0 + rate
        ddiscount /= rate + 1.0
        drates[i] = -discount * ddiscount
    return drates, dcoupon
