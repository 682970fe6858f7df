import { afterAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startWorker, systemClock } from '../../../src/base/index.ts'
import type { ProcessDevice } from '../../../src/devices/index.ts'
import { readNoise } from '../../../src/devices/noise/read-noise.ts'
import { circuitWorker } from '../../../src/devices/simulation/circuit-worker-entry.ts'
import { simulateJob } from '../../../src/devices/simulation/simulate-job.ts'
import type { CircuitResult, JobPayload } from '../../../src/protocol/index.ts'
import type { BatchResponse } from '../../../src/simulator/batch/circuit-workers.ts'
import { WorkQueue } from '../../../src/simulator/batch/work-queue.ts'
import { createSimulator, ResultBudget } from '../../../src/simulator/index.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { errorOfJob, ioOf, openProcess, payloadOf, runJob } from '../support/jobs.ts'

const SEED = 5
const LIMITS = { declaredQubits: 40, stateQubits: 27, shots: 1_000_000 }

const NOISE_FILE = `
gates:
  - {gate: ry, errors: [{thermal: {t1: 50e-6, t2: 70e-6, duration: 1e-6}}]}
  - {gate: [h, cx], errors: [{depolarizing: 0.02}]}
idle: [{t1: 50e-6, t2: 30e-6}]
readout: [{matrix: [[0.99, 0.01], [0.03, 0.97]]}]
`
const CHIP = `
q0:
  element_type: {path: svc.elements.CalibratedTransmon, args: [q0]}
  coherence: {t1: 5e-6, t2_echo: 3e-6}
  measure_2state: {assignment: [[0.98, 0.02], [0.05, 0.95]]}
q1:
  element_type: {path: svc.elements.CalibratedTransmon, args: [q1]}
  coherence: {t1: .nan}
q2:
  element_type: {path: svc.elements.CalibratedTransmon, args: [q2]}
  coherence: {t1: 9e-6}
`

const folder = temporaryFolder()
const opened: ProcessDevice[] = []
afterAll(async () => {
  for (const device of opened) await device.stop?.({ extend: () => undefined })
  folder[Symbol.dispose]()
})

function write(name: string, text: string): string {
  const path = join(folder.path, name)
  writeFileSync(path, text)
  return path
}

async function openWith(threads: number, file: string): Promise<ProcessDevice> {
  const device = await openProcess('aer_sim', [`threads=${threads}`, `seed=${SEED}`, `noise=${file}`])
  opened.push(device)
  return device
}

const simulator = await createSimulator({ clock: systemClock, threads: 1 })

/** Runs a job circuit after circuit, with no other thread. */
async function oneByOne(payload: JobPayload, name: string, text: string) {
  const noise = readNoise({ name, text })
  if ('problems' in noise) throw new Error(noise.problems.join('\n'))
  return simulateJob({
    device: 'aer_sim',
    payload,
    limits: LIMITS,
    method: 'automatic',
    seed: SEED,
    noise,
    clock: systemClock,
    simulator,
    io: ioOf(),
  })
}

/**
 * The parts that do not depend on the time; thousands of shots as one number, because a difference would take
 * minutes to print.
 */
const outcomes = (results: readonly Pick<CircuitResult, 'counts' | 'memory' | 'metadata'>[]) =>
  results.map(({ counts, memory, metadata }) => ({
    counts,
    memory: Bun.hash(JSON.stringify(memory)),
    method: metadata['method'],
  }))

const program = (body: string) => `OPENQASM 3.0; include "stdgates.inc"; ${body}`
const ROTATION = program(
  'input float a; qubit[3] q; bit[3] c; for int i in [0:2] { ry(a) q[i]; cx q[i], q[(i+1)%3]; delay[1us] q[i]; } c = measure q;',
)
const ghz = (qubits: number) =>
  program(
    `qubit[${qubits}] q; bit[${qubits}] c; h q[0]; for int i in [0:${qubits - 2}] { cx q[i], q[i+1]; } c = measure q;`,
  )
const angles = (count: number) => Array.from({ length: count }, (_, i) => [0.1 + i / 10])

/** Circuits for every method that supports noise, and one whose density matrix all threads compute. */
const mixed = payloadOf(
  [
    { circuit: ROTATION, parameter_values: angles(30) },
    { circuit: ghz(7), shots: 60 },
    { circuit: ghz(17), shots: 100 },
    {
      circuit: program(
        'qubit[2] q; bit[2] c; h q[0]; c[0] = measure q[0]; if (c[0]) { ry(1) q[1]; } c[1] = measure q[1];',
      ),
    },
    { circuit: ghz(10), shots: 1_100 },
    { circuit: ghz(8), shots: 70 },
  ],
  { shots: 300, memory: true },
)

describe('a job of many circuits with noise', () => {
  test('has the same counts and memory on one thread, on two and circuit after circuit', async () => {
    const file = write('noise.yml', NOISE_FILE)
    const expected = outcomes((await oneByOne(mixed, 'noise.yml', NOISE_FILE)).circuit_results)
    expect(new Set(expected.map(({ method }) => method))).toEqual(
      new Set(['density_matrix', 'trajectories', 'stabilizer']),
    )
    for (const threads of [1, 2]) {
      const device = await openWith(threads, file)
      // In the first run the other thread may start too late, in the second it is ready.
      for (const results of [await runJob(device, mixed), await runJob(device, mixed)]) {
        expect(outcomes(results.circuit_results)).toEqual(expected)
        expect(results.circuit_results.map(({ metadata }) => metadata['noise'])).toEqual(
          expected.map(() => 'noise.yml'),
        )
      }
    }
  })

  test('takes the noise of a calibrated chip, and names the circuit that uses a qubit without a noise model', async () => {
    const device = await openWith(2, write('scheduler.device.yml', CHIP))
    const rotations = payloadOf([{ circuit: ROTATION, parameter_values: angles(30) }], { memory: true })
    const expected = outcomes((await oneByOne(rotations, 'scheduler.device.yml', CHIP)).circuit_results)
    for (const results of [await runJob(device, rotations), await runJob(device, rotations)]) {
      expect(outcomes(results.circuit_results)).toEqual(expected)
    }
    const wide = payloadOf([
      { circuit: ROTATION, parameter_values: angles(6) },
      ghz(3),
      ghz(4),
      ghz(3),
      ghz(5),
    ])
    expect(await errorOfJob(device, wide)).toMatchObject({
      message: 'circuit 2 uses qubit 3; the noise model scheduler.device.yml has 3 qubits',
      errorCode: 'too_many_qubits',
      circuitIndex: 2,
    })
    expect(outcomes((await runJob(device, rotations)).circuit_results)).toEqual(expected)
  })

  test('uses the noise of a file that has changed since the previous job', async () => {
    const file = write('changing.yml', NOISE_FILE)
    const device = await openWith(2, file)
    await runJob(device, mixed)
    const louder = NOISE_FILE.replace('0.02', '0.3')
    write('changing.yml', louder)
    const expected = outcomes((await oneByOne(mixed, 'changing.yml', louder)).circuit_results)
    expect(outcomes((await runJob(device, mixed)).circuit_results)).toEqual(expected)
  })
})

/** A thread that runs one whole job after another, alone. */
function startThread() {
  let responses: BatchResponse[] = []
  let expected = 0
  let ended = Promise.withResolvers<BatchResponse[]>()
  const worker = startWorker(circuitWorker, {
    onResponse: (response) => {
      responses.push(response)
      if (responses.length === expected || response.kind === 'failed') ended.resolve(responses)
    },
    onEnd: (error) => ended.reject(error),
  })
  return {
    terminate: () => worker.terminate(),
    run(programs: string[], name: string, text: string): Promise<BatchResponse[]> {
      responses = []
      expected = programs.length
      ended = Promise.withResolvers<BatchResponse[]>()
      worker.send({
        job: {
          backend: 'aer_sim',
          circuits: programs.map((each) => ({ program: each, parameterSets: [], shots: 1_024 })),
          limits: { ...LIMITS, executions: 10, resultLength: 2 ** 25 },
          method: 'automatic',
          seed: SEED,
          memory: 'bits',
          noise: { name, text },
        },
        queue: new WorkQueue(expected).buffer,
        results: new ResultBudget(0).shared,
        sentAt: systemClock.now(),
        ms: 20_000,
        threads: 2,
      })
      return ended.promise
    },
  }
}

describe('a thread that runs circuits alone', () => {
  test('reads the noise model of each job from its message, and reports which circuit is invalid', async () => {
    const worker = startThread()
    const few = [ghz(2), ghz(3)]
    try {
      // The name is that of no file: threads read none.
      for (const text of [NOISE_FILE, NOISE_FILE, CHIP, NOISE_FILE]) {
        const payload = payloadOf(few, { memory: true })
        const { circuit_results: expected } = await oneByOne(payload, 'no-file.yml', text)
        const results = (await worker.run(few, 'no-file.yml', text)).flatMap((response) =>
          response.kind === 'done' && response.result ? [response.result] : [],
        )
        expect(outcomes(results.map((result) => ({ ...result, metadata: result.provenance })))).toEqual(
          outcomes(expected),
        )
      }
      const [, last] = await worker.run([ghz(3), ghz(4)], 'chip.yml', CHIP)
      expect(last).toMatchObject({
        kind: 'failed',
        stream: 1,
        message: 'circuit 1 uses qubit 3; the noise model chip.yml has 3 qubits',
        details: { code: 'too_many_qubits', circuitIndex: 1 },
      })
    } finally {
      worker.terminate()
    }
  })
})
