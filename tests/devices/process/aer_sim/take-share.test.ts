import { expect, test } from 'bun:test'
import { systemClock } from '../../../../src/base/index.ts'
import { executionsOf } from '../../../../src/devices/process/aer_sim/executions.ts'
import { createEngine } from '../../../../src/devices/process/aer_sim/methods/statevector/engine.ts'
import { readNoise } from '../../../../src/devices/process/aer_sim/noise/read-noise.ts'
import { ShareRunner } from '../../../../src/devices/process/aer_sim/run-share.ts'
import { type Report, Taking, takeShare } from '../../../../src/devices/process/aer_sim/take-share.ts'
import { ioOf, payloadOf } from '../../support/jobs.ts'

/** A GHZ state of `used` qubits and a gate that only states can take, on the first of `declared` qubits. */
const chain = (used: number, declared: number) =>
  `OPENQASM 3.0; include "stdgates.inc"; qubit[${declared}] q; bit[${used}] c; ry(0.3) q[0]; for int i in [0:${used - 2}] { cx q[i], q[i+1]; } for int i in [0:${used - 1}] c[i] = measure q[i];`

/** What becomes of circuits that a thread takes, by what the device adds to them. */
async function resultsOf(circuits: [text: string, shots: number][], noiseText?: string) {
  const source = noiseText === undefined ? undefined : { name: 'noise.yml', text: noiseText }
  const noise = source && readNoise(source)
  if (noise && 'problems' in noise) throw new Error(noise.problems.join('\n'))
  const payload = payloadOf(circuits.map(([circuit, shots]) => ({ circuit, shots })))
  const bounds = { declaredQubits: 100, stateQubits: 27, shots: 10_000 }
  const job = { device: 'aer_sim', payload, bounds, method: 'automatic', seed: 1, noise: source }
  const parts = {
    noise: noise?.model,
    clock: systemClock,
    engine: await createEngine(1),
    io: ioOf(),
    threads: 2,
  }
  const executions = executionsOf(payload)
  const reports: Report[] = []
  await takeShare(new ShareRunner(job, parts), executions, new Taking(executions.length), (report) =>
    reports.push(report),
  )
  return reports.map((report) => ('result' in report ? report.result?.metadata['method'] : report.error))
}

test('takeShare() leaves out circuits by the state they need, not by the qubits they declare', async () => {
  const circuits: [string, number][] = [
    [chain(18, 60), 10],
    [chain(19, 19), 10],
    [chain(19, 19).replace('ry(0.3)', 'h'), 10],
  ]
  expect(await resultsOf(circuits)).toEqual(['statevector', undefined, 'stabilizer'])
})

test('takeShare() leaves out density matrices of as many elements', async () => {
  const circuits: [string, number][] = [
    [chain(9, 40), 600],
    [chain(10, 40), 1_100],
    [chain(10, 40), 20],
  ]
  const noise = 'gates: [{gate: cx, errors: [{depolarizing: 0.001}]}]'
  expect(await resultsOf(circuits, noise)).toEqual(['density_matrix', undefined, 'trajectories'])
})
