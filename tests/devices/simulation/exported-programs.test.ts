import { expect, test } from 'bun:test'
import { openProcess, payloadOf, runJob } from '../support/jobs.ts'

// As other tools write them, or as people ask about them. The second register stands to the left in outcomes.
test.each([
  [
    'cirq-sxdg',
    `OPENQASM 3.0;
include "stdgates.inc";
qubit[1] q;
bit[1] m_c;
sxdg q[0];
sxdg q[0];
m_c[0] = measure q[0];`,
    '1',
  ],
  [
    'exported-cx-twice',
    `OPENQASM 3.0;
gate h a {
  U(pi/2, 0, pi) a;
}
gate cx c, t {
  ctrl @ U(pi, 0, pi) c, t;
}
bit[2] c;
qubit[2] q;
h q[0];
cx q[0], q[1];
cx q[0], q[1];
h q[0];
c[0] = measure q[0];
c[1] = measure q[1];`,
    '00',
  ],
  [
    'never-measured-if',
    `OPENQASM 2.0;
include "qelib1.inc";
qreg q[1];
creg c[1];
creg d[1];
x q[0];
if(c==1) measure q[0]->d[0];`,
    '00',
  ],
  [
    'opaque-delay',
    `OPENQASM 2.0;
include "qelib1.inc";
opaque delay(param0) q0;
qreg q[1];
creg c[1];
x q[0];
delay(1600) q[0];
measure q->c;`,
    '1',
  ],
  [
    'pennylane-gphase',
    `OPENQASM 2.0;
include "qelib1.inc";
qreg q[1];
creg c[1];
x q[0];
gphase(0.3) ;
measure q[0] -> c[0];`,
    '1',
  ],
  [
    'hw-copied-bit',
    `OPENQASM 3.0;
include "stdgates.inc";
qubit q;
bit[2] c;
x q;
c[0] = measure q;
c[1] = c[0];`,
    '11',
  ],
])('%s has the counts that its authors expect', async (_, program, expected) => {
  const { circuit_results } = await runJob(await openProcess('aer_sim'), payloadOf([program], { shots: 20 }))
  expect(circuit_results[0]?.counts).toEqual({ [expected]: 20 })
})
