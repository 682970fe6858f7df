/** The initial program of a new job: a Bell pair. */
export const BELL = `OPENQASM 3.0;
include "stdgates.inc";

qubit[2] q;
bit[2] c;

h q[0];
cx q[0], q[1];
c = measure q;
`

const GHZ = `OPENQASM 3.0;
include "stdgates.inc";

qubit[5] q;
bit[5] c;

h q[0];
for int i in [0:3] cx q[i], q[i + 1];
c = measure q;
`

const TELEPORT = `OPENQASM 3.0;
include "stdgates.inc";

qubit[3] q;
bit[2] m;
bit result;

ry(0.6) q[0];        // the state to teleport
h q[1];
cx q[1], q[2];
cx q[0], q[1];
h q[0];
m[0] = measure q[0];
m[1] = measure q[1];
if (m[1]) { x q[2]; }
if (m[0]) { z q[2]; }
result = measure q[2];
`

const QAOA = `OPENQASM 3.0;
include "stdgates.inc";

input float gamma;   // cost layer
input float beta;    // mixer
qubit[4] q;
bit[4] c;

for int i in [0:3] h q[i];
for int i in [0:2] {
  cx q[i], q[i + 1];
  rz(gamma) q[i + 1];
  cx q[i], q[i + 1];
}
for int i in [0:3] rx(2 * beta) q[i];
c = measure q;
`

const GROVER = `OPENQASM 3.0;
include "stdgates.inc";

qubit[3] q;
bit[3] c;

h q;
for int step in [1:2] {
  ctrl(2) @ z q[0], q[1], q[2];   // marks 111
  h q;
  x q;
  ctrl(2) @ z q[0], q[1], q[2];
  x q;
  h q;
}
c = measure q;
`

/** Programs to begin with. `sets` are values for the inputs. */
export const EXAMPLES: readonly { name: string; text: string; sets?: string[][] }[] = [
  { name: 'Bell pair', text: BELL },
  { name: 'GHZ state, 5 qubits', text: GHZ },
  { name: 'Teleportation', text: TELEPORT },
  { name: 'Grover, 3 qubits', text: GROVER },
  {
    name: 'QAOA with parameters',
    text: QAOA,
    sets: [
      ['0.2', '0.4'],
      ['0.35', '0.4'],
      ['pi/4', '0.4'],
    ],
  },
]
