def marginal_tax_grad(income, rates):
    # income: float, rates: [float, float, float, float]
    rates_0 = rates[0]
    rates_1 = rates[1]
    rates_2 = rates[2]
    if income <= 1.0:
        # return tax + rate * (income - low) ** 2
        dincome = 2.0 * rates_0 * income
        return dincome, [income**2, 0.0, 0.0, 0.0]
    if income <= 3.0:
        income_minus_one = income - 1.0
        return 2.0 * rates_1 * income_minus_one, [1.0, income_minus_one**2, 0.0, 0.0]
    if income <= 7.0:
        shifted_income = income - 3.0
        return 2.0 * rates_2 * shifted_income, [1.0, 2.0, shifted_income**2, 0.0]
    return rates[3], [1.0, 2.0, 4.0, income - 7.0]
