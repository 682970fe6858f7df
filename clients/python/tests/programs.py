"""Programs of the tests."""

HEAD = 'OPENQASM 3.0; include "stdgates.inc"; '
BELL = HEAD + "qubit[2] q; bit[2] c; h q[0]; cx q[0], q[1]; c = measure q;"
TURN = HEAD + "input float a; qubit q; bit c; rx(a) q; c = measure q;"
TWO_REGISTERS = (
    HEAD + "qubit[10] q; bit[9] a; bit[1] b; x q[0]; h q[9]; a = measure q[0:8]; b[0] = measure q[9];"
)
