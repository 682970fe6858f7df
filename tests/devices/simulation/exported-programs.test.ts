import { expect, test } from 'bun:test'
import { openProcess, payloadOf, runJob } from '../support/jobs.ts'

/** As many turns by a seventh of a half turn as an expression says. */
const steps = (turns: string) => `OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c;
for int i in [1:${turns}] { rx(pi / 7) q; }
c = measure q;`

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
  [
    'duration-equal',
    `OPENQASM 3.0;
include "stdgates.inc";
qubit q;
bit c;
if (3 * 100ns == 0.3us) { x q; }
c = measure q;`,
    '1',
  ],
  [
    'duration-steps',
    `OPENQASM 3.0;
include "stdgates.inc";
const duration total = 2 * 100ns + 0.5us;
const duration step = 100ns;
qubit q;
bit c;
for int i in [1:int(total / step)] { rx(pi / 7) q; }
c = measure q;`,
    '1',
  ],
  // Neighbors: other units and operators, and what is left of a division.
  ['durations of four units', steps('int(1.1ms / 0.11us) - 9993'), '1'],
  ['a duration between others', steps('7 * int(0.1us + 0.2us <= 300ns && 0.1us + 0.2us >= 300ns)'), '1'],
])('%s has the counts that its authors expect', async (_, program, expected) => {
  const { circuit_results } = await runJob(await openProcess('aer_sim'), payloadOf([program], { shots: 20 }))
  expect(circuit_results[0]?.counts).toEqual({ [expected]: 20 })
})

/** OpenQASM 2: the register is full of ones; a condition on it flips qubit 1. */
const wideCondition = (width: number, value: bigint) =>
  ['OPENQASM 2.0;\ninclude "qelib1.inc";\nqreg q[2];', `creg c[${width}];`, 'creg d[1];\nx q[0];']
    .concat(Array.from({ length: width }, (_, bit) => `measure q[0]->c[${bit}];`))
    .concat(`if(c==${value}) x q[1];`, 'measure q[1]->d[0];')
    .join('\n')

// cond-55-not-equal and cond-64-not-equal are those of 55 and 64 bits whose last bit differs.
test.each([1, 31, 32, 33, 52, 53, 54, 55, 63, 64, 65, 100])(
  'a condition of OpenQASM 2 on %d bits compares all of them',
  async (width) => {
    const ones = 2n ** BigInt(width) - 1n
    const programs = [ones, ones - 1n, ones ^ (1n << BigInt(width >> 1)), ones >> 1n].map((value) =>
      wideCondition(width, value),
    )
    const { circuit_results } = await runJob(await openProcess('aer_sim'), payloadOf(programs, { shots: 5 }))
    expect(circuit_results.map(({ counts }) => counts)).toEqual(
      [1, 0, 0, 0].map((flipped) => ({ [`${flipped}${'1'.repeat(width)}`]: 5 })),
    )
  },
)

test('a loop that runs zero times has counts, and so has every part that does not run', async () => {
  const loop = `OPENQASM 3.0;
include "stdgates.inc";
input int n;
qubit q;
bit[3] c;
x q;
for int i in [0:n-1] { c[i] = measure q; }`
  const others = [
    'if (n > 0) { c[0] = measure q; }',
    'int i = 0; while (i < n) { c[i] = measure q; i += 1; }',
  ]
  for (const circuit of [loop, ...others.map((each) => loop.replace(/for .*/, each))]) {
    const payload = payloadOf([{ circuit, parameter_values: [[0], [1]] }], { shots: 20 })
    const { circuit_results } = await runJob(await openProcess('aer_sim'), payload)
    expect([circuit, circuit_results.map(({ counts }) => counts)]).toEqual([
      circuit,
      [{ '000': 20 }, { '001': 20 }],
    ])
  }
})
