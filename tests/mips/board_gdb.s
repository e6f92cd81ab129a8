# Words, halves, a call with a delay slot, and the end by the FPGA's reset register.
	.set noreorder
	.text
	.globl _start, work, over
_start:
	lui	$8, %hi(words)
	lw	$9, %lo(words)($8)
	jal	work
	addiu	$4, $9, 1
	lui	$10, 0xbf00
	li	$11, 0x42
over:
	sw	$11, 0x500($10)
1:
	b	1b
	nop
work:
	lui	$12, %hi(result)
	sw	$4, %lo(result)($12)
	jr	$31
	addu	$2, $4, $4
	.data
	.globl words, halves, result
words:
	.word	0x12345678, 0x9abcdef0
halves:
	.half	0x1122, 0x3344
result:
	.word	0
