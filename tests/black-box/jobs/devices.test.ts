import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type JobSeen, submit, untilJob } from '../../support/executable/job-calls.ts'
import { Service } from '../../support/executable/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(60_000)

const ROOT = join(import.meta.dir, '../../..')
const folder = temporaryFolder()
let service: Service
let user: { id: string; token: string }
const drivers: Bun.Subprocess[] = []

beforeAll(async () => {
  service = await Service.install(folder.path)
  await service.start()
  user = await service.createUser(1_000)
  // A user's device is alone in its folder: no package, nothing of this repository.
  copyFileSync(join(ROOT, 'examples/device.ts'), join(folder.path, 'device.ts'))
  const noise = join(folder.path, 'noise.yml')
  writeFileSync(
    noise,
    'gates: [{gate: ry, errors: [{depolarizing: 0.1}]}]\nreadout: [{matrix: [[0.9, 0.1], [0, 1]]}]',
  )
  const devices: [string, string, string[]][] = [
    ['aer', 'aer_sim', ['seed=7']],
    ['one_thread', 'aer_sim', ['threads=1']],
    ['two_threads', 'aer_sim', ['threads=2']],
    ['noisy_one_thread', 'aer_sim', ['threads=1', `noise=${noise}`]],
    ['noisy_two_threads', 'aer_sim', ['threads=2', `noise=${noise}`]],
    ['coin', './device.ts#coin', ['bias=1']],
    ['vendor', 'placeholder-device', []],
  ]
  for (const [name, device, options] of devices) {
    drivers.push(service.startDriver(name, await service.createQpu(name), device, options))
  }
  await Promise.all(devices.map(([name]) => service.untilOnline(name)))
})

afterAll(async () => {
  for (const driver of drivers) driver.kill('SIGTERM')
  for (const driver of drivers) expect(await driver.exited).toBe(0)
  await service.stop()
  folder[Symbol.dispose]()
})

async function run(qpu_target: string, body: Record<string, unknown>): Promise<JobSeen> {
  const id = await submit(service, user.token, { qpu_target, ...body })
  return untilJob(service, user.token, id, undefined, 40_000)
}

const circuit = (name: string) => readFileSync(join(ROOT, 'tests/circuits', `${name}.qasm`), 'utf8')

/** Bounds of a fair count with p: five standard deviations, a false alarm in two million. */
function near(count: number, shots: number, p: number): boolean {
  return Math.abs(count - shots * p) <= 5 * Math.sqrt(shots * p * (1 - p))
}

describe('aer_sim', () => {
  // The expected result of each program was derived by hand from its text, not by running it.
  test.each<[string, string, Record<string, number>]>([
    ['bv_n14', 'the hidden string', { '1111111111111': 1 }],
    ['adder_n10', '1 + 15 = 16', { '10000': 1 }],
    ['grover_n2', 'the marked state', { '11': 1 }],
    ['deutsch_n2', 'a balanced function', { '01': 1 / 2, '11': 1 / 2 }],
    [
      'cat_state_n22',
      '22 qubits, two registers',
      { ['0'.repeat(44)]: 1 / 2, ['1'.repeat(22) + '0'.repeat(22)]: 1 / 2 },
    ],
    ['wstate_n3', 'one excitation', { '001': 1 / 3, '010': 1 / 3, '100': 1 / 3 }],
  ])('%s: %s', async (name, _, expected) => {
    const shots = 3_000
    const { status, error, results } = await run('aer', { circuits: [{ circuit: circuit(name) }], shots })
    expect({ status, error }).toEqual({ status: 'completed', error: null })
    const counts = results?.counts ?? {}
    expect(Object.keys(counts).sort()).toEqual(Object.keys(expected).sort())
    for (const [key, p] of Object.entries(expected)) {
      expect({ key, count: counts[key], near: near(counts[key] ?? 0, shots, p) }).toMatchObject({
        near: true,
      })
    }
  })

  test('several circuits and parameter sets in one job: one result each, in order, as wide as its own memory', async () => {
    const turn =
      'OPENQASM 3.0; include "stdgates.inc"; input float theta; qubit q; bit c; rx(theta) q; c = measure q;'
    const { results } = await run('aer', {
      circuits: [
        { circuit: circuit('grover_n2'), shots: 10 },
        { circuit: turn, parameter_values: [[0], [Math.PI], [Math.PI / 2]] },
        { circuit: circuit('bv_n14') },
      ],
      shots: 1_000,
    })
    const all = results?.circuit_results ?? []
    expect(all.map(({ shots, header }) => [shots, header.memory_slots])).toEqual([
      [10, 2],
      [1_000, 1],
      [1_000, 1],
      [1_000, 1],
      [1_000, 13],
    ])
    const [first, zero, one, half, last] = all.map(({ counts }) => counts)
    expect([first, zero, one, last]).toEqual([
      { '11': 10 },
      { '0': 1_000 },
      { '1': 1_000 },
      { '1111111111111': 1_000 },
    ])
    expect(near(half?.['1'] ?? 0, 1_000, 1 / 2)).toBe(true)
    expect(results?.counts).toEqual({ '11': 10 })
  })

  test('a program that branches on outcomes', async () => {
    const program = `OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c;
      h q[0]; c[0] = measure q[0]; if (c[0] == 1) { x q[1]; } c[1] = measure q[1];`
    const { results } = await run('aer', { circuits: [program], shots: 500 })
    expect(Object.keys(results?.counts ?? {}).sort()).toEqual(['00', '11'])
  })

  test('a large circuit runs on all threads that are allowed, with the same counts', async () => {
    const layer = (i: number) =>
      Array.from(
        { length: 20 },
        (_, q) => `u3(${q + i}, 0.3, ${i}) q[${q}]; cx q[${q}], q[${(q + 1 + i) % 20}];`,
      )
    const program = `OPENQASM 2.0; include "qelib1.inc"; qreg q[20]; creg c[20];
      ${Array.from({ length: 15 }, (_, i) => layer(i).join('')).join('')} measure q -> c;`
    const body = { circuits: [program], shots: 2_000, seed: 3 }
    const [one, two] = [await run('one_thread', body), await run('two_threads', body)]
    expect([one, two].map(({ results }) => results?.circuit_results[0]?.metadata['threads'])).toEqual([1, 2])
    expect(Object.keys(one.results?.counts ?? {}).length).toBeGreaterThan(1_900)
    expect(two.results?.counts).toEqual(one.results?.counts ?? {})
  })

  test('many circuits with noise run on all threads that are allowed, with the same counts', async () => {
    const program = `OPENQASM 3.0; include "stdgates.inc"; input float a; qubit[6] q; bit[6] c;
      for int i in [0:5] { ry(a) q[i]; cx q[i], q[(i+1)%6]; } c = measure q;`
    const sets = Array.from({ length: 60 }, (_, i) => [i / 10])
    const body = { circuits: [{ circuit: program, parameter_values: sets }], shots: 500, seed: 3 }
    const countsOn = async (qpu: string) =>
      (await run(qpu, body)).results?.circuit_results.map(({ counts }) => counts)
    const one = await countsOn('noisy_one_thread')
    expect(one).toHaveLength(60)
    // Without noise the first would yield only 0.
    expect(Object.keys(one?.[0] ?? {}).length).toBeGreaterThan(5)
    // By the second job the other thread has started.
    for (let job = 0; job < 2; job++) expect(await countsOn('noisy_two_threads')).toEqual(one)
  })

  test('the same seed gives the same counts', async () => {
    const body = { circuits: [circuit('qft_n4')], shots: 1_000, seed: 42 }
    const [one, two] = [await run('aer', body), await run('aer', body)]
    expect(one.results?.counts).toEqual(two.results?.counts ?? {})
    expect(Object.keys(one.results?.counts ?? {})).toHaveLength(16)
  })
})

describe('the device of examples/device.ts, loaded by the executable', () => {
  test('runs a job with its option', async () => {
    const circuits = ['OPENQASM 3.0; qubit[3] q; bit[3] c; c = measure q;']
    const { status, results } = await run('coin', { circuits, shots: 77 })
    expect([status, results?.counts]).toEqual(['completed', { '111': 77 }])
    expect(results?.metadata['device']).toBe('coin')
  })

  test('refuses a job with a JobError, which the user reads word by word', async () => {
    const { status, error } = await run('coin', { circuits: ['OPENQASM 3.0; qubit q;'] })
    expect([status, error]).toEqual([
      'failed',
      { code: 'no_bits', message: 'The program declares no classical bits' },
    ])
  })
})

test('placeholder_device reports that it has no backend, and costs nothing', async () => {
  const job = await run('vendor', { circuits: ['OPENQASM 3.0; qubit q; bit c; c = measure q;'] })
  expect([job.status, job.error?.code]).toEqual(['failed', 'not_implemented'])
  expect(job.charged_seconds ?? 0).toBe(0)
})
