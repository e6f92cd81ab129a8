// Adds the sums of a loop, in v30, to those in x0.
        umov    x3, v30.d[0]
        add     x0, x0, x3
        umov    x3, v30.d[1]
        eor     x0, x0, x3, ror #7
