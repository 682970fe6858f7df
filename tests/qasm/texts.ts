import { program3 } from './support.ts'

/** A program that uses most of the language. */
export const RICH_PROGRAM = program3(`
const int n = 3;
input float a;
gate g(x1, y1) c, d { rx(x1 / 2) c; ctrl @ p(y1) c, d; inv @ sx d; for int i in [0:2] { h c; } }
def f(qubit[2] v, int[8] k) -> bit { for int i in [0:k] { h v[0]; } return measure v[1]; }
qubit[n] q; bit[n] c; array[int[8], 2, 2] m = {{1, 2}, {3, 4}};
g(a, pi) q[0], q[1];
pow(1 / 2) @ x q[2]; negctrl(2) @ gphase(0.1) q[0], q[1];
c[0] = f(q[0:1], 2);
int total = 0; while (total < 3) { total += 1; if (total == 2) continue; }
switch (total) { case 1, 2 { x q; } default { z q[-1]; } }
let e = q[{0, 2}] ++ q[1:1]; barrier e; delay[10ns] e; reset e[0];
m[0] = m[1]; c = "101"; bit[2] w = c[1:2] ^ "01"; complex z1 = 1 + 2im;
if (c[0] && total > 1) { x q[0]; } else { y q[0]; }
c = measure q;
`)

/** Words of the language, for texts that are almost programs. */
export const WORDS = [
  ...'OPENQASM 3 ; 2.0 ; include "stdgates.inc" "qelib1.inc" qubit bit int [ ] ( ) { } , : = == + - * / ** ^ ++ @ ->'.split(
    ' ',
  ),
  ...'gate def return if else for while switch case default in let ctrl inv pow measure reset barrier box delay'.split(
    ' ',
  ),
  ...'x h cx q c i 0 1 2 -1 3.5 1e9 10ns 2im "01" $0 pi true const input array readonly #dim break end sizeof sin'.split(
    ' ',
  ),
]
