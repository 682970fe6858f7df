import { expect, test } from 'bun:test'
import { systemClock } from '../../../src/base/index.ts'
import { readNoise } from '../../../src/devices/noise/read-noise.ts'
import { type BatchJob, resultBudgetOf } from '../../../src/simulator/batch/batch-job.ts'
import { CircuitRunner } from '../../../src/simulator/batch/circuit-runner.ts'
import { type CircuitReport, runNextCircuits, WorkQueue } from '../../../src/simulator/batch/work-queue.ts'
import { executionsOf } from '../../../src/simulator/circuits/executions.ts'
import { createEngine } from '../../../src/simulator/kernel/engine.ts'
import { TimeBudget } from '../../../src/simulator/timing/time-budget.ts'
import { ioOf } from '../../devices/support/jobs.ts'

/**
 * A GHZ state of `used` qubits and a gate that only state methods support, on the first of `declared` qubits.
 */
const chain = (used: number, declared: number) =>
  `OPENQASM 3.0; include "stdgates.inc"; qubit[${declared}] q; bit[${used}] c; ry(0.3) q[0]; for int i in [0:${used - 2}] { cx q[i], q[i+1]; } for int i in [0:${used - 1}] c[i] = measure q[i];`

/**
 * The methods that run circuits taken from a queue, undefined for those left out; `noiseText` is a noise
 * file.
 */
async function methodsOf(circuits: [text: string, shots: number][], noiseText?: string) {
  const source = noiseText === undefined ? undefined : { name: 'noise.yml', text: noiseText }
  const noise = source && readNoise(source)
  if (noise && 'problems' in noise) throw new Error(noise.problems.join('\n'))
  const job: BatchJob = {
    backend: 'aer_sim',
    circuits: circuits.map(([program, shots]) => ({ program, parameterSets: [], shots })),
    limits: { executions: 10, declaredQubits: 100, stateQubits: 27, shots: 10_000, resultLength: 2 ** 25 },
    method: 'automatic',
    seed: 1,
    memory: 'none',
    noise: source,
  }
  const runner = new CircuitRunner(job, {
    noise: noise?.model,
    clock: systemClock,
    engine: await createEngine(1),
    timeBudget: new TimeBudget(systemClock, ioOf()),
    resultBudget: resultBudgetOf(job),
    threads: 2,
  })
  const executions = executionsOf(job.circuits, job.limits)
  const reports: CircuitReport[] = []
  const queue = new WorkQueue(executions.length)
  await runNextCircuits(
    runner,
    () => executions,
    queue,
    (report) => reports.push(report),
  )
  return reports.map((report) => ('result' in report ? report.result?.provenance['method'] : report.error))
}

test('runNextCircuits() leaves out circuits by the state they need, not by the qubits they declare', async () => {
  const circuits: [string, number][] = [
    [chain(18, 60), 10],
    [chain(19, 19), 10],
    [chain(19, 19).replace('ry(0.3)', 'h'), 10],
  ]
  expect(await methodsOf(circuits)).toEqual(['statevector', undefined, 'stabilizer'])
})

test('runNextCircuits() leaves out density matrices of as many elements', async () => {
  const circuits: [string, number][] = [
    [chain(9, 40), 600],
    [chain(10, 40), 1_100],
    [chain(10, 40), 20],
  ]
  const noise = 'gates: [{gate: cx, errors: [{depolarizing: 0.001}]}]'
  expect(await methodsOf(circuits, noise)).toEqual(['density_matrix', undefined, 'trajectories'])
})

test('WorkQueue hands out every index once and reports how many were taken after it is stopped', () => {
  const queue = new WorkQueue(5)
  const other = new WorkQueue(queue.buffer)
  expect([queue.takeNext(), other.takeNext(), queue.takeNext()]).toEqual([0, 1, 2])
  expect(other.size).toBe(5)
  other.stop()
  queue.stop()
  expect([queue.size, other.size]).toEqual([3, 3])
  expect(queue.takeNext()).toBeGreaterThan(1_000)
})
