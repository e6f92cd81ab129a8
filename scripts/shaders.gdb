# GDB's commands for a board whose GPU is a second inferior (docs/use/shader-debugger.md):
#
#     gdb-multiarch -ex 'target extended-remote :1234' -x scripts/shaders.gdb
#
# `stepi 0` moves nothing. Without it GDB 13 does not show the first stop of an inferior that is not the
# one from which it was continued.
stepi 0
add-inferior
inferior 2
attach 2
stepi 0
set schedule-multiple on
