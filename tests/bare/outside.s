// Stores to ever higher addresses until there is no memory any more.
lui x5, 0x1000
lui x6, 1
sd x6, 0(x5)
add x5, x5, x6
jal x0, 0x1008
