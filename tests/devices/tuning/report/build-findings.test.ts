import { describe, expect, test } from 'bun:test'
import * as v from 'valibot'
import type { FitTrace } from '../../../../src/devices/fitting/fit.ts'
import { buildFindings, statusOf } from '../../../../src/devices/tuning/report/build-findings.ts'
import { type Finding, RoutineError } from '../../../../src/devices/tuning/routine.ts'
import { RunValues } from '../../../../src/devices/tuning/walk/run-values.ts'
import type { NodeResult, WalkResult } from '../../../../src/devices/tuning/walk/walk.ts'
import { calibrationFindings } from '../../../../src/protocol/calibration.ts'
import { lineChip, scriptedRoutine } from '../../../support/tuning/scripted.ts'

const producer = scriptedRoutine({ name: 'rabi_oscillations', writes: ['rxy.amp180'] })
const benchmark = scriptedRoutine({ name: 'randomized_benchmarking' })
const chip = lineChip(2, { q0: { 'coherence.t1': 50e-6, 'coherence.t2_echo': 40e-6 } })

function result(over: Partial<NodeResult> & { finding?: Finding; error?: RoutineError } = {}): NodeResult {
  const { finding, error, ...rest } = over
  const outcome = {
    target: 'q0',
    finding,
    error,
    attempts: 1,
    startedAt: 0,
    durationS: 1.23456,
    hasLeftConfig: false,
    remarks: [],
  }
  return { routine: producer, target: 'q0', isUnresolved: false, parameters: {}, outcome, ...rest }
}
const walked = (over: Partial<WalkResult> = {}): WalkResult => ({
  ...{ results: [], skipped: [], notes: [], stopped: undefined },
  ...over,
})
const build = (walk: WalkResult, over: Partial<Parameters<typeof buildFindings>[0]> = {}) =>
  buildFindings({
    ...{ backend: 'scheduler_a_tuner+simulated', chip, values: new RunValues(chip), walk, notes: [] },
    ...{ file: undefined, fileError: undefined },
    ...over,
  })
const failed = result({ error: new RoutineError('no_signal', 'nothing seen') })

describe('statusOf()', () => {
  test.each([
    ['success', walked({ results: [result()] }), undefined],
    ['partial_failure', walked({ results: [result(), failed] }), undefined],
    ['failed', walked({ results: [failed] }), undefined],
    ['failed', walked(), undefined],
    ['failed', walked({ results: [result()], stopped: 'stopped' }), undefined],
    ['failed', walked({ results: [result()] }), 'disk full'],
    ['aborted', walked({ results: [result()], stopped: 'stopped', isAborted: true }), undefined],
    ['success', walked({ results: [{ ...failed, isUnresolved: true }] }), undefined],
  ] as const)('%s', (status, walk, fileError) => {
    expect(statusOf(walk, fileError)).toBe(status)
  })

  test('counts what is blocked as a failure, and what is declined or disabled as none', () => {
    const skipped = (reason: 'blocked' | 'declined') => [{ routine: 'x', target: 'q0', reason, detail: '' }]
    expect(statusOf(walked({ results: [result()], skipped: skipped('declined') }), undefined)).toBe('success')
    expect(statusOf(walked({ results: [result()], skipped: skipped('blocked') }), undefined)).toBe(
      'partial_failure',
    )
  })
})

describe('buildFindings()', () => {
  test('marks as written what the file has, and not what somebody else changed', async () => {
    const parameters = { 'rxy.amp180': { value: 0.5, error: 1e-3, previous: 0.4, isApplied: true } }
    const walk = walked({ results: [result({ parameters }), result({ target: 'q1', parameters })] })
    const file = { changed: 1, before: 'a', after: 'b', conflicts: ['q1.rxy.amp180'], unknown: [] }
    const findings = await build(walk, { file })
    const written = findings.routines?.map((each) => each.parameters?.['rxy.amp180']?.written)
    expect(written).toEqual([true, false])
    expect(findings.device_file).toEqual({ changed: 1, before: 'a', after: 'b' })
    expect(findings.notes?.[0]).toMatch(/^q1.rxy.amp180: conflict/)
    const unwritten = (await build(walk, { file, fileError: 'disk full' })).routines
    expect(unwritten?.map((each) => each.parameters?.['rxy.amp180']?.written)).toEqual([false, false])
  })

  test('names the values that the class of an element does not know, once per element', async () => {
    const parameters = {
      'coherence.t2_echo': { value: 5e-5, error: 1e-6, previous: undefined, isApplied: true },
    }
    const unknown = ['q0.coherence.t2_echo', 'q0.resonator.readout_1', 'q1.resonator.readout_1']
    const file = { changed: 1, before: 'a', after: 'b', conflicts: [], unknown }
    const findings = await build(walked({ results: [result({ parameters })] }), { file })
    expect(findings.routines?.[0]?.parameters?.['coherence.t2_echo']?.written).toBe(false)
    expect(findings.notes?.map((note) => note.split(';')[0])).toEqual([
      'q0: not written, its class does not know them: coherence.t2_echo, resonator.readout_1',
      'q1: not written, its class does not know them: resonator.readout_1',
    ])
  })

  test('stays within every limit of a report', async () => {
    const long = 'x'.repeat(5_000)
    const numbers = (length: number, value: number) => Array.from({ length }, () => value)
    const trace: FitTrace = {
      ...{
        kind: 'line',
        model: 'cosine',
        y: numbers(1_001, Number.NaN),
        y_name: 'S21',
        y_unit: 'V',
        points: 1_001,
      },
      x: { name: 'amplitude', unit: '', values: Array.from({ length: 1_001 }, (_, at) => at) },
    }
    const map: FitTrace = {
      ...{ kind: 'map', model: 'chevron', z: numbers(90_000, 1 / 3) },
      x: { name: 'frequency', unit: 'Hz', values: numbers(300, 0) },
      y: { name: 'duration', unit: 's', values: numbers(300, 0) },
    }
    const shots = numbers(5_000, 1)
    const iq: FitTrace = {
      ...{ kind: 'iq', model: 'states', unit: 'V', states: [{ label: '0', i: shots, q: shots }] },
      ...{ centroids: [], assignment: [] },
    }
    const walk = walked({
      results: [
        result({ finding: { trace } }),
        result({ finding: { trace: map } }),
        result({ finding: { trace: iq } }),
        ...Array.from({ length: 1_500 }, (_, at) =>
          result({ target: `q${at}`, error: new RoutineError(long, `${long}\nstack`) }),
        ),
      ],
      skipped: Array.from({ length: 50_010 }, () => ({
        ...{ routine: 'x', target: 'q0', reason: 'declined' as const, detail: long },
      })),
      notes: Array.from({ length: 1_200 }, () => long),
    })
    const findings = await build(walk)
    expect(v.safeParse(calibrationFindings, findings).issues).toBeUndefined()
    expect(findings.errors).toHaveLength(1_000)
    expect(findings.errors?.at(-1)).toBe('…and 501 more')
    expect(findings.skipped).toHaveLength(50_000)
    const fits = findings.routines?.map(({ fit }) => fit) as [
      { x: { values: number[] }; y: unknown[]; points: number },
      { z: number[] },
      { states: { i: number[] }[] },
    ]
    expect(fits[0]).toMatchObject({ points: 1_001, y: Array(200).fill(null) })
    expect([fits[0].x.values[0], fits[0].x.values.at(-1)]).toEqual([0, 1_000])
    expect(fits[1].z).toEqual(Array(1_600).fill(0.333))
    expect(fits[2].states[0]?.i).toHaveLength(200)
    expect(JSON.stringify(findings)).toBeString()
  })

  test('splits the error of a gate into its causes', async () => {
    const finding = (each: Finding['benchmark']) => ({ finding: { ...(each && { benchmark: each }) } })
    const rb = {
      ...{ metric: 'average_gate', fidelity: 0.999, error: 1e-3, fidelityError: 1e-5, gateDuration: 56e-9 },
      ...{ leakage: 1e-5, leakageError: 1e-6 },
    }
    const purity = scriptedRoutine({ name: 'purity_benchmarking' })
    const readout = scriptedRoutine({ name: 'readout_fidelity' })
    const results = [
      result({ routine: readout, ...finding({ metric: 'assignment', fidelity: 0.97, error: 0.03 }) }),
      result({ routine: benchmark, ...finding(rb) }),
      result({ routine: purity, ...finding({ metric: 'purity', incoherent: 8e-4, fidelityError: 2e-5 }) }),
    ]
    const [, gate] = (await build(walked({ results }))).benchmarks ?? []
    const limit = (56e-9 / 3) * (1 / 40e-6 + 1 / 100e-6)
    expect(gate).toMatchObject({
      ...{ protocol: 'randomized_benchmarking', target: 'q0', fidelity: 0.999, leakage: 1e-5 },
      error_budget: {
        ...{ measured: 1e-3, incoherent: 8e-4, leakage: 1e-5, readout: 0.03 },
        coherence_limit: expect.closeTo(limit, 12),
        coherent: expect.closeTo(2e-4, 12),
        coherent_error: expect.closeTo(Math.hypot(1e-5, 2e-5), 12),
      },
    })
  })

  test('splits the error of a gate of a pair by the coherence and the readout of both qubits', async () => {
    const times = { 'coherence.t1': 50e-6, 'coherence.t2_echo': 40e-6 }
    const pair = lineChip(2, { q0: times, q1: times })
    const relativeErrorOf = () => 0.03
    const cz = { metric: 'average_gate', error: 7e-3, gateDuration: 120e-9 }
    const of = (name: string, target: string, finding: Finding) =>
      result({ routine: scriptedRoutine({ name }), target, finding })
    const results = [
      of('readout_fidelity', 'q0', { benchmark: { metric: 'assignment', error: 0.02 } }),
      of('readout_fidelity', 'q1', { benchmark: { metric: 'assignment', error: 0.03 } }),
      of('cz_calibration', 'q0_q1', { leakage: 4e-4, leakageError: 1e-5 }),
      of('process_tomography', 'q0_q1', {
        benchmark: { metric: 'average_gate', error: 2e-2, fidelityError: 1e-3 },
      }),
      of('cz_rb', 'q0_q1', { benchmark: { ...cz, fidelityError: 1e-4 } }),
    ]
    const findings = await build(walked({ results }), {
      ...{ chip: pair, values: new RunValues(pair), relativeErrorOf },
    })
    const limit = ((2 * 120e-9) / 5) * 2 * (1 / 40e-6 + 1 / 100e-6)
    expect(findings.benchmarks?.at(-1)).toMatchObject({
      ...{ protocol: 'cz_rb', target: 'q0_q1' },
      error_budget: {
        ...{ measured: 7e-3, leakage: 4e-4, readout: 0.03 },
        coherence_limit: expect.closeTo(limit, 12),
        coherent: expect.closeTo(7e-3 - limit - 4e-4, 12),
      },
    })
    expect(findings.notes).toContain(
      'q0_q1: cz_rb and process_tomography disagree on the error of the gate: 7.00e-3 ± 1.0e-4 and 2.00e-2 ± 1.0e-3',
    )
  })

  test('marks what was measured again as of before', async () => {
    const rb = (error: number) => ({ benchmark: { metric: 'average_gate', fidelity: 1 - error, error } })
    const results = [
      result({ routine: benchmark, finding: rb(2e-3) }),
      result({ routine: benchmark, finding: rb(1e-3) }),
    ]
    const { routines, benchmarks } = await build(walked({ results }))
    expect(routines?.map((each) => each['superseded'])).toEqual([true, undefined])
    expect(benchmarks?.map((each) => each['superseded'])).toEqual([true, undefined])
  })

  test('reports an error that is not resolved as a bound, and as no value', async () => {
    const bound = {
      metric: 'average_gate',
      upperBound: { error: 2e-5, confidence: 0.95 },
      gateDuration: 56e-9,
    }
    const results = [result({ routine: benchmark, finding: { benchmark: bound } })]
    const { status, benchmarks } = await build(walked({ results }))
    expect(status).toBe('success')
    expect(benchmarks).toMatchObject([
      { fidelity: null, error: null, upper_bound: { error: 2e-5, confidence: 0.95 } },
    ])
    expect(benchmarks?.[0]?.['error_budget']).toEqual({
      ...{ upper_bounds: { measured: 2e-5, coherent: 2e-5 }, confidence: 0.95 },
      coherence_limit: expect.any(Number),
    })
  })
})
