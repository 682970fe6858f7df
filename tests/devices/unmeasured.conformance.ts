import { expect, test } from 'bun:test'
import type { JobPayload, JobResults } from '../../src/protocol/index.ts'
import { payloadOf } from './support/jobs.ts'

/** Programs that declare result bits and execute no measurement, and the outcome of each shot. */
const UNMEASURED: [program: string, outcome: string][] = [
  // From a condition that never holds, in both versions.
  [
    'OPENQASM 2.0; include "qelib1.inc"; qreg q[1]; creg c[1]; creg d[1]; x q[0]; if(c==1) measure q[0]->d[0];',
    '00',
  ],
  [
    'OPENQASM 3.0; include "stdgates.inc"; qubit q; bit[2] c; bit d; x q; if (c == 1) { d = measure q; }',
    '000',
  ],
  ['OPENQASM 3.0; qubit q; bit[2] c; for int i in [0:-1] { c[0] = measure q; }', '00'],
  ['OPENQASM 3.0; qubit q; bit c; while (false) { c = measure q; }', '0'],
  ['OPENQASM 3.0; qubit q; bit c; switch (1) { case 2 { c = measure q; } }', '0'],
  ['OPENQASM 3.0; qubit q; bit c; end; c = measure q;', '0'],
  // Bits that are set without a measurement keep their values.
  ['OPENQASM 3.0; bit[3] c = "110";', '110'],
  ['OPENQASM 3.0; qubit q; bit[2] c; c[1] = 1; reset q;', '10'],
  // Only outputs are part of the result; what is measured here is not.
  ['OPENQASM 3.0; qubit q; bit[2] b; output bit[3] c; b[0] = measure q;', '000'],
  ['OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c; x q; reset q;', '0'],
  // Measured, and the outcome thrown away.
  ['OPENQASM 3.0; include "stdgates.inc"; qubit q; bit[2] c; x q; measure q;', '00'],
]

/** Requirements for every process device: as many counts as shots, also where nothing is measured. */
export function unmeasuredConformance(name: string, run: (payload: JobPayload) => Promise<JobResults>): void {
  const rule = (behavior: string) => `${name} ${behavior}`

  test(rule('returns bits of 0 and a warning without measurements'), async () => {
    const program = 'OPENQASM 3.0; include "stdgates.inc"; qubit q; bit[2] c; bit d; h q;'
    const [result] = (await run(payloadOf([program], { shots: 100, memory: true }))).circuit_results
    expect(result?.counts).toEqual({ '000': 100 })
    expect(result?.memory).toEqual(Array(100).fill('0x0'))
    expect(result?.header.memory_slots).toBe(3)
    expect(result?.metadata['warnings']).toEqual(['The circuit measures nothing: all result bits are 0'])
    const packed = { shots: 100, memory: true, memory_format: 'packed' } as const
    const [one] = (await run(payloadOf([program], packed))).circuit_results
    expect(Buffer.from(String(one?.memory), 'base64')).toEqual(Buffer.alloc(100))
    const [points] = (await run(payloadOf([program], { shots: 100, meas_level: 1 }))).circuit_results
    expect(points?.memory).toEqual(
      Array(100).fill([
        [0, 0],
        [0, 0],
        [0, 0],
      ]),
    )
  })

  test(rule('returns counts for programs of which no measurement is executed'), async () => {
    for (const [program, outcome] of UNMEASURED) {
      const [result] = (await run(payloadOf([program], { shots: 100 }))).circuit_results
      expect([program, result?.counts]).toEqual([program, { [outcome]: 100 }])
    }
  })

  test(rule('keeps every point of a sweep, also where no measurement is executed'), async () => {
    const circuit =
      'OPENQASM 3.0; include "stdgates.inc"; input int n; qubit q; bit[3] c; x q; for int i in [0:n-1] { c[i] = measure q; }'
    const { circuit_results } = await run(
      payloadOf([{ circuit, parameter_values: [[0], [1], [0], [3]] }], { shots: 100 }),
    )
    const counts = ['000', '001', '000', '111'].map((outcome) => ({ [outcome]: 100 }))
    expect(circuit_results.map((each) => each.counts ?? {})).toEqual(counts)
  })

  test(rule('returns empty counts and a warning for a program without result bits'), async () => {
    const program = 'OPENQASM 3.0; include "stdgates.inc"; qubit q; h q;'
    const [result] = (await run(payloadOf([program], { shots: 100 }))).circuit_results
    expect(result?.counts).toEqual({})
    expect(result?.metadata['warnings']).toEqual(['The program has no result bits: counts are empty'])
  })
}
