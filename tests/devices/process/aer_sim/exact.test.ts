import { expect, test } from 'bun:test'
import { openProcess, payloadOf, runJob } from '../../support/jobs.ts'

test('aer_sim returns exact values in place of counts', async () => {
  const device = await openProcess('aer_sim', ['threads=1'])
  const program =
    'OPENQASM 3.0; include "stdgates.inc"; input float a; qubit[2] q; bit[2] c; ry(a) q[0]; cx q[0], q[1];'
  const circuits = [
    { circuit: program, parameter_values: [[0.8], [0]], expectation_values: [{ IZ: 1 }, { XX: 1, ZZ: 0.5 }] },
    { circuit: `${program} c = measure q;`, parameter_values: [[0]] },
  ]
  const { circuit_results, counts, shots } = await runJob(device, payloadOf(circuits, { exact: true }))
  expect([counts, shots]).toEqual([undefined, 0])
  const [first, second, third] = circuit_results
  expect(first?.expectation_values?.[0]).toBeCloseTo(Math.cos(0.8), 12)
  expect(first?.expectation_values?.[1]).toBeCloseTo(Math.sin(0.8) + 0.5, 12)
  expect(second?.expectation_values).toEqual([1, 0.5])
  expect(third?.probabilities).toEqual({ '00': 1 })
  expect(third).not.toHaveProperty('counts')
  expect(first?.metadata).toMatchObject({ method: 'statevector', exact: true })
  expect(first?.metadata).not.toHaveProperty('warnings')
})
