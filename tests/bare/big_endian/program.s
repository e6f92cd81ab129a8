// r0 is 0. Each size is stored big-endian and read in both orders; numbers of the assembler follow.
seti r1, r0, #0x0123
seti r1, r1, #0x4567
seti r1, r1, #0x89ab
seti r1, r1, #0xcdef            // 0x0123456789abcdef
seti r2, r0, #0xfedc            // the upper half of r1's pair
seti r3, r0, #0x2000
store16.big r1, [r3]
load16.little r4, [r3]
store32.big r1, [r3]
load32.little r5, [r3]
store64.big r1, [r3]
load64.little r6, [r3]
load64.big r7, [r3]
store128.big r1, [r3]
load128.little r8, [r3]
seti r3, r0, #0x2010
pass32 r1, [r3]
load16.big r10, [r3]
pass128 r1, [r3]
load128.big r11, [r3]
store16.little r1, [r3]
load16.big r13, [r3]
seti r3, r0, #numbers
load32.big r14, [r3]
load16.little r15, [r3]
stop
numbers: .word 0x11223344
