import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { acquire, type Routine, RoutineError } from '../../../../src/devices/tuning/routine.ts'
import { BUILT_IN_ROUTINES } from '../../../../src/devices/tuning/routines/index.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { calibrationRuns, DEVICE_FILE, ROUTINES } from '../../../support/tuning/calibration-runs.ts'
import { scriptedRoutine, windowOf } from '../../../support/tuning/scripted.ts'

const SIDE_FILE = 'scheduler.device.provenance.yml'
const linesOf = (folder: string) => readFileSync(join(folder, SIDE_FILE), 'utf8').split('\n')
const isNoteOfOrigin = (note: string) => note.includes('no measurement on record')

/** The first routine fails on q0; what comes after it reads its value. */
const failing: readonly Routine[] = [
  scriptedRoutine({ name: 'qubit_01_spectroscopy', writes: ['clock_freqs.f01'] }, (target) => {
    if (target === 'q0') throw new RoutineError('no_data', 'zeros')
    return { parameters: { 'clock_freqs.f01': { value: 5.001e9, unit: 'Hz' } } }
  }),
  ...ROUTINES.slice(1),
]

describe('the origins of values', () => {
  test('of other targets stay byte by byte in a partial run', async () => {
    using folder = temporaryFolder()
    const { run, text } = calibrationRuns(folder.path)
    await run()
    const before = linesOf(folder.path)
    writeFileSync(join(folder.path, 'scheduler.device.yml'), text().replace('5.001e+9', '5.0e+9'))
    await run({ mode: 'partial', targetQubits: ['q1'] })
    const after = linesOf(folder.path)
    expect(after).toHaveLength(before.length)
    const q1 = after.indexOf('q1:')
    expect(q1).toBeGreaterThan(0)
    expect(after.slice(0, q1)).toEqual(before.slice(0, q1))
  })

  test('are not recorded for a routine that failed, nor for a run that could not write', async () => {
    using folder = temporaryFolder()
    const { run } = calibrationRuns(folder.path)
    expect((await run({ mayWrite: false })).device_file).toBeNull()
    expect(existsSync(join(folder.path, SIDE_FILE))).toBe(false)
    await run({ routines: failing })
    const lines = linesOf(folder.path)
    expect(lines.filter((line) => line.includes('clock_freqs.f01'))).toHaveLength(1)
    // Its benchmark has succeeded, which is no origin of a value.
    const q0 = lines.slice(lines.indexOf('q0:') + 1)
    expect(q0.slice(0, 2).map((line) => /^ *\w+/.exec(line)?.[0])).toEqual([
      '  gates',
      expect.not.stringMatching(/^ /),
    ])
  })

  test.each([
    ['deleted', undefined],
    ['empty', ''],
    ['truncated', '# x\nq0:\n  clock_freqs.f01: {"routine":"qubit_'],
    ['garbled', '\u0000\u0001\u0002: [[['],
    ['about elements that are gone', 'q9:\n  clock_freqs.f01: {routine: a, run: b, at: c, value: d}\n'],
  ])('change neither values nor blocking when they are %s', async (_, side) => {
    const outcomes = []
    for (const isTouched of [false, true]) {
      using folder = temporaryFolder()
      const { run, text } = calibrationRuns(folder.path)
      await run()
      const path = join(folder.path, SIDE_FILE)
      if (isTouched && side === undefined) rmSync(path)
      else if (isTouched) writeFileSync(path, side ?? '')
      const { status, routines, skipped } = await run({ routines: failing })
      outcomes.push({ status, skipped, text: text(), ran: routines?.map((each) => each.parameters) })
    }
    expect(outcomes[1]).toEqual(outcomes[0] as never)
    expect(outcomes[0]?.skipped).toHaveLength(1)
  })

  test('end with a change by hand, which the report names', async () => {
    using folder = temporaryFolder()
    const { run, text } = calibrationRuns(folder.path)
    await run()
    expect((await run()).notes?.filter(isNoteOfOrigin)).toEqual([])
    writeFileSync(join(folder.path, 'scheduler.device.yml'), text().replace('4.5e+9', '4.51e+9'))
    expect((await run()).notes?.filter(isNoteOfOrigin)).toEqual([
      'q0: no measurement on record before this run: clock_freqs.f01 (changed by hand)',
    ])
  })

  test('are not missed where an element has no such value, or no routine finds it', async () => {
    using folder = temporaryFolder()
    const { run } = calibrationRuns(folder.path)
    const measured = BUILT_IN_ROUTINES.filter(({ kind }) => kind !== 'edge')
    const findings = await run({ mode: 'fidelity_check', routines: measured })
    const notes = findings.notes?.filter(isNoteOfOrigin) ?? []
    const silent = /pulse_duration|ef_duration|reset|acq_channel|ports/
    expect(notes.filter((note) => silent.test(note))).toEqual([])
    const ofStock = notes.filter((note) => note.startsWith('q1:'))
    expect(ofStock).toHaveLength(1)
    expect(ofStock[0]).not.toMatch(/coherence|r12|measure_|fine|spec|resonator/)
  })

  test('are noted once per target: measured now for the first time, and apart not even now', async () => {
    using folder = temporaryFolder()
    const precise = DEVICE_FILE.replace('4.5e+9', '4.523456789e+9')
    const { run } = calibrationRuns(folder.path, precise)
    const refiner = scriptedRoutine({
      ...{ name: 'ramsey_correction', dependsOn: ['rabi_oscillations'], refiner: true },
      writes: ['clock_freqs.f01'],
    })
    const config = 'routines: {qubit_01_spectroscopy: {enabled: false}}\n'
    const findings = await run({ config, routines: [...ROUTINES, refiner] })
    // A routine that corrects a frequency does not find one: what it starts from was typed by somebody.
    expect(findings.notes?.filter(isNoteOfOrigin)).toEqual([
      'q0: no measurement on record before this run: rxy.amp180',
      'q0: no measurement on record, and none by this run either: clock_freqs.f01',
      'q1: no measurement on record before this run: rxy.amp180',
      'q1: no measurement on record, and none by this run either: clock_freqs.f01',
    ])
  })

  test('never relax blocking: a value of last week does not stand in for a producer that fails now', async () => {
    using folder = temporaryFolder()
    const { run, text } = calibrationRuns(folder.path)
    await run()
    const before = text()
    const findings = await run({ routines: failing })
    expect(findings.status).toBe('partial_failure')
    expect(findings.skipped).toEqual([
      { routine: 'rabi_oscillations', target: 'q0', reason: 'blocked', detail: 'q0 qubit_01_spectroscopy' },
    ])
    expect(text()).toBe(before)
  })
})

/** A row of five qubits, each coupled to the next. */
const ROW = `${[0, 1, 2, 3, 4]
  .map(
    (at) =>
      `q${at}:\n  element_type: {path: svc.CalibratedTransmon, args: [q${at}], kwargs: {}}\n  clock_freqs: {f01: 4.${at}e+9}\n`,
  )
  .join('')}${[0, 1, 2, 3]
  .map(
    (at) =>
      `q${at}_q${at + 1}:\n  element_type: {path: svc.CompositeSquareEdge, args: [q${at}, q${at + 1}], kwargs: {}}\n`,
  )
  .join('')}`

describe('the checks of a partial run', () => {
  const routine = scriptedRoutine(
    {
      ...{ name: 'qubit_01_spectroscopy', writes: ['clock_freqs.f01'] },
      *check({ target }) {
        yield* acquire({ kind: 'average', shots: 1, reset_ns: 0, points: [windowOf(target)] })
        if (target === 'q1') throw new RoutineError('no_data', 'zeros')
        if (target === 'q3') return { state: 'out', margin: 7.5 }
        return target === 'q4' ? { state: 'out', margin: 1.5 } : { state: 'in', margin: 0.2 }
      },
    },
    (target) => {
      const value = target === 'q4' ? 4.66e9 : 4.6e9
      return { parameters: { 'clock_freqs.f01': { value, unit: 'Hz', checkLimit: 1e5 } } }
    },
  )

  test('name the worst target first with its margin, and leave the others as they are', async () => {
    using folder = temporaryFolder()
    const { run, text } = calibrationRuns(folder.path, ROW)
    const targetQubits = ['q0', 'q1', 'q2', 'q3', 'q4']
    const { routines, notes } = await run({ routines: [routine], mode: 'partial', targetQubits })
    expect(routines?.map(({ target }) => target)).toEqual(['q3', 'q4'])
    expect(notes?.filter((note) => note.includes('check of'))).toEqual([
      'q3: check of qubit_01_spectroscopy out by 7.50 times its limit',
      'q4: check of qubit_01_spectroscopy out by 1.50 times its limit',
      'q1: check of qubit_01_spectroscopy could not decide: no_data: zeros',
    ])
    expect(text()).toBe(ROW.replace('4.3e+9', '4.6e+9').replace('4.4e+9', '4.66e+9'))
  })

  test('widen to both ends of every edge of a target, and no further', async () => {
    using folder = temporaryFolder()
    const { run, instrument } = calibrationRuns(folder.path, ROW)
    await run({ routines: [routine], mode: 'partial', targetQubits: ['q2'] })
    const qubits = instrument.programs.flatMap(({ points }) =>
      points.flatMap(({ acquisitions }) => acquisitions.map(({ qubit }) => qubit)),
    )
    // The three checks, then the routine on the far end that is out.
    expect(qubits).toEqual(['q1', 'q2', 'q3', 'q3'])
  })
})
