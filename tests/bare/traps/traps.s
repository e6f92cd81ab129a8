// Each trap adds a digit to what is printed: the handler prints '0' + r14.
        .global _start
_start: seti r1, r0, #0x2000
        seti r1, r1, #0         // the registers' page
        seti r2, r0, #0x1000
        seti r2, r2, #handler & 0xffff
        vector r2
        call #77
        addi r3, r15, #0
        .inst 0
        addi r4, r14, #0
        seti r5, r0, #0x1000
        seti r5, r5, #0x2001
        load r6, [r5, #0]
        addi r7, r14, #0
        addi r8, r15, #0
        load r6, [r0, #8]
        addi r9, r14, #0
        store r9, [r5, #3]
        load r10, [r5, #3]
        seti r11, r0, #33
        store r11, [r1, #4]
        idle                    // the run ends with the block
handler:
        addi r13, r14, #'0'
        store r13, [r1, #0]
        back
