"""Structured arrays of NumPy that the function makes, or copies.

    s = np.zeros(n, dtype=[("pos", "f8", (2,)), ("mass", "f8")])   ->   s = np.zeros((n, 3))
    s["pos"], s["mass"], s[i]                                      ->   s[:, 0:2], s[:, 2], s[i]

    layout    the fields of a dtype as columns of arrays of numbers
    records   items, fields and attributes
    copies    copies of structured arrays that come from outside, or that Python has made
    creation  how structured arrays are made
    writes    writes of fields and records

The fields of one dtype are columns of one array, with the gaps between them that they have in the records: each is a
view of it, as it is of the structured array.
"""
