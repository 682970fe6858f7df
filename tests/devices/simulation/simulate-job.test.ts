import { afterAll, describe, expect, test } from 'bun:test'
import { RESULTS_TOO_LARGE } from '../../../src/protocol/index.ts'
import { errorOfJob, ioOf, openProcess, payloadOf, runJob } from '../support/jobs.ts'

const ROTATION =
  'OPENQASM 3.0; include "stdgates.inc"; input float a; qubit[5] q; bit[5] c; for int i in [0:4] { ry(a) q[i]; cx q[i], q[(i+1)%5]; } c = measure q;'
const angles = (count: number) => Array.from({ length: count }, (_, i) => [0.1 + i / 10])
const wide = (qubits: number) =>
  `OPENQASM 3.0; include "stdgates.inc"; qubit[${qubits}] q; bit[${qubits}] c; h q; for int i in [0:${qubits - 2}] { cz q[i], q[i+1]; } h q; c = measure q;`

/** Its shots take ways of their own, which no estimate includes: it runs for minutes. */
const COINS = `OPENQASM 3.0; include "stdgates.inc"; qubit[10] q; bit[2] c; h q[9]; for int i in [1:40] { h q[0]; c[0] = measure q[0]; cx q[0], q[1]; h q[1]; c[1] = measure q[1]; }`

const one = await openProcess('aer_sim', ['threads=1', 'seed=5'])
const three = await openProcess('aer_sim', ['threads=3', 'seed=5'])
afterAll(async () => {
  await one.stop?.({ extend: () => undefined })
  await three.stop?.({ extend: () => undefined })
})

/** A job of many small circuits, and one that a batch leaves out. */
const many = payloadOf([
  { circuit: ROTATION, parameter_values: angles(40) },
  { circuit: wide(19), shots: 50 },
  { circuit: wide(12), shots: 70 },
])

describe('a job of many circuits', () => {
  test('has the same results, in order, on one thread and on three', async () => {
    const alone = await runJob(one, many)
    // In the first run most threads start too late, in the second they are ready.
    for (const results of [await runJob(three, many), await runJob(three, many)]) {
      expect(results.circuit_results.map(({ counts }) => counts)).toEqual(
        alone.circuit_results.map(({ counts }) => counts),
      )
      expect(results.circuit_results.map(({ shots }) => shots)).toEqual([
        ...new Array(40).fill(1_024),
        50,
        70,
      ])
    }
  })

  test('fails with the first invalid circuit', async () => {
    const broken =
      'OPENQASM 3.0; include "stdgates.inc"; input int n; qubit[3] q; bit c; h q[n]; c = measure q[0];'
    const job = payloadOf([
      { circuit: ROTATION, parameter_values: angles(10) },
      { circuit: broken, parameter_values: [[1], [7], [8]] },
    ])
    expect(await errorOfJob(three, job)).toMatchObject({
      name: 'JobError',
      circuitIndex: 1,
      class: 'user',
    })
    expect((await runJob(three, many)).circuit_results.length).toBe(42)
  })

  test('ends at its deadline or when cancelled, and the next job runs', async () => {
    const endless = payloadOf(Array.from({ length: 60 }, () => ({ circuit: COINS, shots: 100_000 })))
    expect(await errorOfJob(three, endless, ioOf(300))).toMatchObject({
      errorCode: 'timed_out',
    })
    const slow = payloadOf(Array.from({ length: 60 }, () => ({ circuit: wide(18), shots: 100_000 })))
    const abort = new AbortController()
    const untilFirst = { ...ioOf(60_000, abort.signal), phase: () => abort.abort(new Error('cancelled')) }
    expect(await errorOfJob(three, slow, untilFirst)).toMatchObject({ message: 'cancelled' })
    expect((await runJob(three, many)).circuit_results.length).toBe(42)
  })
})

test('simulateJob() reports results that are too large as the protocol defines', async () => {
  const job = payloadOf([wide(8)], { shots: 900_000, meas_level: 1 })
  expect(await errorOfJob(one, job)).toMatchObject({
    name: 'JobError',
    message: RESULTS_TOO_LARGE.message,
    errorCode: RESULTS_TOO_LARGE.error_code,
    class: 'user',
    executed: true,
  })
})

test('simulateJob() runs the CX that Qiskit exports as CX, and names its line in a warning', async () => {
  const program =
    'OPENQASM 3.0;\ngate h a {\n  U(pi/2, 0, pi) a;\n}\ngate cx c, t {\n  ctrl @ U(pi, 0, pi) c, t;\n}\nbit[2] c;\nqubit[2] q;\nh q[0];\ncx q[0], q[1];\ncx q[0], q[1];\nh q[0];\nc = measure q;\n'
  const { circuit_results } = await runJob(one, payloadOf([program]))
  expect(circuit_results).toMatchObject([
    { counts: { '00': 1_024 }, metadata: { warnings: [expect.stringMatching(/phase of U .* \(line 6\)$/)] } },
  ])
})
