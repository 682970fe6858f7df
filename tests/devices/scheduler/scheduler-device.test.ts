import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { systemClock } from '../../../src/base/index.ts'
import { Provenance } from '../../../src/devices/chip/provenance/provenance.ts'
import { JobError } from '../../../src/devices/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { chipOf, losslessTruth } from '../../support/simulated-chip/chips.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { designFile } from '../../support/tuning/acceptance/design-file.ts'
import { deviceFileOf } from '../compiler/support/calibrated-pair.ts'
import { errorOfJob, ioOf, openProcess, payloadOf, runJob } from '../support/jobs.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

function file(name: string, content: string): string {
  const path = join(folder.path, name)
  writeFileSync(path, content)
  return path
}

const program = (statements: string, qubits = 2) =>
  `OPENQASM 3.0; include "stdgates.inc"; qubit[${qubits}] q; bit[${qubits}] c; ${statements} c = measure q;`
const BELL = program('h q[0]; cx q[0], q[1];')

/** A hardware file whose cluster has this address. */
function hardware(ip: string): string {
  return JSON.stringify({
    config_type: 'QbloxHardwareCompilationConfig',
    hardware_description: { cluster0: { instrument_type: 'Cluster', ref: 'internal', ip, modules: {} } },
    hardware_options: {},
    connectivity: { graph: [] },
  })
}

describe('scheduler_a on a dummy instrument', () => {
  const config = file('dummy.device.yml', designFile({ columns: 3, rows: 1 }))
  const open = () => openProcess('scheduler_a', [`scheduler_device_config=${config}`, 'is_dummy=true'])

  test('returns zeros for every circuit, with its routing', async () => {
    const ring = program('cx q[0], q[1]; cx q[1], q[2]; cx q[2], q[0];', 3)
    const { circuit_results, metadata } = await runJob(
      await open(),
      payloadOf([BELL, ring], { shots: 50, memory: true, optimization_level: 0 }),
    )
    expect(circuit_results.map(({ counts }) => counts)).toEqual([{ '00': 50 }, { '000': 50 }])
    expect(circuit_results[0]?.memory).toEqual(new Array(50).fill('0x0'))
    expect(circuit_results[1]?.metadata).toMatchObject({ routing: { method: 'sabre', swaps: 1 } })
    for (const { metadata } of circuit_results)
      expect(metadata['warnings']).toEqual([expect.stringContaining('no hardware was used')])
    expect(metadata).toMatchObject({ device: 'scheduler_a', backend_kind: 'dummy' })
    expect(metadata['device_config']).toMatch(/^[0-9a-f]{12}$/)
  })

  test('returns signals and traces in the shapes of their levels', async () => {
    const device = await open()
    const at = async (more: object) =>
      (await runJob(device, payloadOf([BELL], { shots: 3, ...more }))).circuit_results[0]
    expect((await at({ meas_level: 1 }))?.memory).toEqual(
      [1, 2, 3].map(() => [
        [0, 0],
        [0, 0],
      ]),
    )
    expect((await at({ meas_level: 1, meas_return: 'avg' }))?.memory).toEqual([
      [0, 0],
      [0, 0],
    ])
    const trace = (await at({ meas_level: 0 }))?.memory as [number, number][][]
    // The window of the device file is 1.8 µs.
    expect(trace.map(({ length }) => length)).toEqual([1800, 1800])
  })

  test('reads the device file again before a job, and keeps the working one when it does not parse', async () => {
    const path = file('changed.device.yml', designFile({ columns: 2, rows: 1 }))
    const device = await openProcess('scheduler_a', [`scheduler_device_config=${path}`, 'is_dummy=true'])
    const hash = async () => (await runJob(device, payloadOf([BELL]))).metadata['device_config']
    const first = await hash()
    writeFileSync(path, 'q0: {element_type: "svc.elements.CalibratedTransmon"}')
    expect(await hash()).toBe(first)
    writeFileSync(path, designFile({ columns: 2, rows: 1 }).replace('amp180: 0.5', 'amp180: 0.45'))
    expect(await hash()).not.toBe(first)
  })

  test('names age and routine of every value that a job has used', async () => {
    const path = file('measured.device.yml', designFile({ columns: 2, rows: 1 }))
    const measured = { element: 'q0', routine: 'rabi_oscillations', run: 'run000000000001', fit: {} }
    const at = '2026-10-31T00:00:00.000Z'
    Provenance.read(path).record([
      { ...measured, path: 'rxy.amp180', value: 0.5, at },
      { ...measured, path: 'rxy.duration', value: 1, at },
      { ...measured, path: 'coherence.t1', value: 1e-5, at },
    ])
    const clock = new FakeClock(Date.parse('2026-11-01T00:00:00.000Z'))
    const pairs = [`scheduler_device_config=${path}`, 'is_dummy=true']
    const device = await openProcess('scheduler_a', pairs, clock)
    const { metadata } = await runJob(device, payloadOf([program('x q[0];')]))
    const { q0, ...others } = metadata['calibration'] as Record<string, Record<string, unknown>>
    // A value that was changed by hand has no origin, and one that the job has not used is absent.
    expect(q0).toMatchObject({
      'rxy.amp180': { routine: 'rabi_oscillations', run: 'run000000000001', at, age_s: 86_400 },
      'rxy.duration': null,
    })
    expect(q0).not.toHaveProperty('coherence.t1')
    expect(others['q1']).toMatchObject({ 'measure.integration_time': null })
    expect(others).not.toHaveProperty('q0_q1')
  })

  test('names the circuit that the chip cannot run, before anything runs', async () => {
    const wide = program('h q;', 4)
    const error = await errorOfJob(await open(), payloadOf([BELL, wide]))
    expect(error).toBeInstanceOf(JobError)
    expect(error).toMatchObject({
      message: 'circuit 1: the circuit uses 4 qubits, the device has 3',
      ...{ circuitIndex: 1, errorCode: 'too_many_qubits', executed: false },
    })
  })
})

test('scheduler_a does not start without an instrument', async () => {
  const config = file('none.device.yml', designFile({ columns: 2, rows: 1 }))
  const pairs = [`scheduler_device_config=${config}`]
  await expect(openProcess('scheduler_a', pairs)).rejects.toThrow(
    'startup error: no instrument: no cluster with an ip',
  )
  const at = (ip: string) => {
    const path = file(`${ip.length}.hardware.json`, hardware(ip))
    return openProcess('scheduler_a', [...pairs, `scheduler_hardware_config=${path}`])
  }
  await expect(at('127.0.0.1:1')).rejects.toThrow('startup error: cluster cluster0: 127.0.0.1:1: ')
  await expect(at('not an address')).rejects.toThrow('cluster0.ip is "not an address", which is no address')
})

/** Opens the device on a simulated row of qubits, with the discriminators that a tuner finds. */
async function openRow(qubits: number, seed: number) {
  const truth = losslessTruth(qubits, seed)
  const data = temporaryFolder(folder.path)
  writeFileSync(join(data.path, 'simulated.chip.yml'), stringify(truth))
  const config = file(`row${qubits}.device.yml`, deviceFileOf(truth, chipOf(truth).chip))
  const device = await openProcess('scheduler_a', [
    `scheduler_device_config=${config}`,
    `scheduler_hardware_config=${file(`row${qubits}.hardware.json`, hardware(`sim:${data.path}/simulated.chip.yml`))}`,
  ])
  const signals = async (statements: string) => {
    const payload = payloadOf([program(statements, qubits)], {
      shots: 200,
      meas_level: 1,
      meas_return: 'avg',
    })
    return (await runJob(device, payload)).circuit_results[0]?.memory as [number, number][]
  }
  const [zero, one] = [await signals(''), await signals('x q;')]
  // The rotation that puts the difference of both states on the real axis.
  let text = readFileSync(config, 'utf8')
  for (let at = 0; at < qubits; at++) {
    const [[a = 0, b = 0] = [], [c = 0, d = 0] = []] = [zero[at], one[at]]
    const angle = -Math.atan2(d - b, c - a)
    const threshold = ((a + c) * Math.cos(angle) - (b + d) * Math.sin(angle)) / 2
    const found = `acq_rotation: ${(angle * 180) / Math.PI}, acq_threshold: ${threshold}`
    text = text.replace(new RegExp(`(q${at}:\\n(?: .*\\n)*?  measure: {)`), `$1${found}, `)
  }
  writeFileSync(config, text)
  return device
}

/** Shots with one of these outcomes. */
const countOf = (counts: Record<string, number> = {}, ...outcomes: string[]) =>
  outcomes.reduce((sum, outcome) => sum + (counts[outcome] ?? 0), 0)

test('scheduler_a makes a Bell pair on the simulated chip of a tuner', async () => {
  const { circuit_results, metadata } = await runJob(await openRow(2, 3), payloadOf([BELL], { shots: 1000 }))
  const counts = circuit_results[0]?.counts
  expect(countOf(counts, '00', '11')).toBeGreaterThan(970)
  expect(countOf(counts, '11')).toBeGreaterThan(400)
  expect(countOf(counts, '00')).toBeGreaterThan(400)
  expect(metadata['backend_kind']).toBe('simulated')
})

describe('scheduler_a on a simulated row of five qubits', () => {
  const row = openRow(5, 1)
  const run = async (circuit: string, options: object = {}) => {
    const { circuit_results } = await runJob(await row, payloadOf([circuit], { shots: 400, ...options }))
    return circuit_results[0]
  }

  test('joins all of them in one state', async () => {
    const chain = [1, 2, 3, 4].map((at) => `cx q[${at - 1}], q[${at}];`).join(' ')
    const counts = (await run(program(`h q[0]; ${chain}`, 5)))?.counts
    expect(countOf(counts, '00000', '11111')).toBeGreaterThan(360)
    expect(countOf(counts, '11111')).toBeGreaterThan(140)
    expect(countOf(counts, '00000')).toBeGreaterThan(140)
  })

  test('refuses a job that cannot end within its time limit before it runs', async () => {
    const chain = program('h q[0]; cx q[0], q[1]; cx q[1], q[2];', 3)
    const phases: string[] = []
    const io = {
      ...ioOf(),
      deadline: systemClock.monotonic(),
      phase: (name: string) => void phases.push(name),
    }
    const error = await errorOfJob(await row, payloadOf([chain]), io)
    expect(error).toBeInstanceOf(JobError)
    expect(String(error)).toMatch(
      /scheduler_a needs at least 1 s for this job, and 0 s of its time limit are left; .* -o job_timeout$/,
    )
    expect(phases).toEqual(['compile'])
  })

  test('joins gates unless the job or physical qubits ask for them as written, and shows what it played', async () => {
    const twice = program('cz q[0], q[1]; cz q[0], q[1]; x q[0];', 2)
    const physical =
      'OPENQASM 3.0; include "stdgates.inc"; bit[1] c; cz $0, $1; cz $0, $1; x $0; c[0] = measure $0;'
    const played = async (circuit: string, options: object) => {
      const { optimization_level, gates, compiled_circuit } = (await run(circuit, options))?.metadata ?? {}
      return { optimization_level, gates, czs: String(compiled_circuit).split('cz $').length - 1 }
    }
    expect(await played(twice, {})).toEqual({ optimization_level: 1, gates: { cz: 0, pulses: 1 }, czs: 0 })
    const asWritten = { optimization_level: 0, gates: { cz: 2, pulses: 1 }, czs: 2 }
    expect(await played(twice, { optimization_level: 0 })).toEqual(asWritten)
    expect(await played(physical, {})).toEqual(asWritten)
    expect(await played(physical, { optimization_level: 2 })).toMatchObject({ optimization_level: 2, czs: 0 })
  })

  test('schedules as late as possible, or on request as early as possible', async () => {
    const late = program('x q[0]; x q[1]; delay[4us] q[1];')
    for (const [options, scheduling] of [
      [{}, 'alap'],
      [{ scheduling: 'asap' }, 'asap'],
    ] as const)
      expect((await run(late, options))?.metadata).toMatchObject({ scheduling, gates: { pulses: 2 } })
  })

  test('decouples on request, and names what it played', async () => {
    const wait = program('sx q[0]; delay[2us] q[0]; sx q[0];', 1)
    expect((await run(wait))?.metadata).not.toHaveProperty('dynamical_decoupling')
    expect((await run(wait, { dynamical_decoupling: 'none' }))?.metadata).not.toHaveProperty(
      'dynamical_decoupling',
    )
    const decoupled = await run(wait, { dynamical_decoupling: 'XY4' })
    expect(decoupled?.metadata).toMatchObject({
      dynamical_decoupling: { sequence: 'XY4', windows: 1, pulses: 4 },
      gates: { pulses: 6 },
    })
    expect(countOf(decoupled?.counts, '1')).toBeGreaterThan(370)
  })

  test('moves qubits that are not neighbors', async () => {
    const star = program('x q[0]; cx q[0], q[3]; cx q[0], q[2]; cx q[0], q[1];', 4)
    const result = await run(star, { optimization_level: 0 })
    expect(result?.metadata['routing']).toMatchObject({ method: 'sabre' })
    expect(countOf(result?.counts, '1111')).toBeGreaterThan(360)
  })

  test.each([
    ['c[0] = measure q; c[1] = c[0];', '11', [1, 1]],
    ['c[0] = measure q; c[1] = ~c[0];', '01', [1, 0]],
    ['c[0] = 1; c[1] = measure q;', '11', [0, 1]],
    ['c[0] = measure q; x q; c[1] = measure q; c[0] = c[0] ^ c[1];', '01', [0, 1]],
    ['int[4] n = 2; c[0] = measure q; if (n == 2) c[1] = c[0];', '11', [1, 1]],
  ])('computes result bits from outcomes: %s', async (statements, expected, hasSignal) => {
    const text = `OPENQASM 3.0; include "stdgates.inc"; qubit q; bit[2] c; x q; ${statements}`
    expect(countOf((await run(text, { optimization_level: 1 }))?.counts, expected)).toBeGreaterThan(370)
    const { memory } = (await run(text, { meas_level: 1, meas_return: 'avg' })) ?? {}
    expect((memory as number[][]).map(([re, im]) => Number(re !== 0 || im !== 0))).toEqual(hasSignal)
  })

  test('measures as often as a schedule allows', async () => {
    const reads = Array.from({ length: 1_000 }, (_, at) => `c[${at}] = measure q;`).join(' ')
    const result = await run(`OPENQASM 3.0; qubit q; bit[1000] c; ${reads}`, { shots: 2 })
    expect(countOf(result?.counts, ...Object.keys(result?.counts ?? {}))).toBe(2)
  })

  test('measures in the middle of a circuit, and the state stays what was found', async () => {
    const middle = (more: string) =>
      `OPENQASM 3.0; include "stdgates.inc"; qubit[3] q; bit[3] c; ${more} c[1] = measure q[1]; c[2] = measure q[2];`
    const entangled = middle('h q[0]; cx q[0], q[1]; cx q[1], q[2]; c[0] = measure q[0]; h q[0];')
    expect(countOf((await run(entangled))?.counts, '000', '111')).toBeGreaterThan(370)
    const again = middle('h q[1]; c[0] = measure q[1];')
    const counts = (await run(again))?.counts
    expect(countOf(counts, '000', '011')).toBeGreaterThan(370)
    expect(countOf(counts, '011')).toBeGreaterThan(140)
  })
})
