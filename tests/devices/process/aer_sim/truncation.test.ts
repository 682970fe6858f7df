import { expect, test } from 'bun:test'
import { openProcess, payloadOf, runJob } from '../../support/jobs.ts'

const ENTANGLED = `OPENQASM 3.0; include "stdgates.inc"; qubit[10] q; bit[10] c;
for int r in [0:11] { for int i in [0:9] { ry(0.7 + i + r) q[i]; cx q[(i + 3) % 10], q[i]; } }
c = measure q;`

test.each([
  [
    30,
    [expect.stringMatching(/^The result is an approximation: .* bonds of 30 discards 0\.\d+ of the state; /)],
  ],
  [32, undefined],
])(
  'the result of a chain with bonds of at most %d says whether it is an approximation',
  async (bond, warnings) => {
    const device = await openProcess('aer_sim', [
      'method=matrix_product_state',
      `max_bond=${bond}`,
      'threads=1',
    ])
    const [result] = (await runJob(device, payloadOf([ENTANGLED], { shots: 10 }))).circuit_results
    expect(result?.metadata['bond']).toBe(bond)
    expect(result?.metadata['warnings']).toEqual(warnings)
  },
)
