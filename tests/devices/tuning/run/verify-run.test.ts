import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { ChipTruth } from '../../../../src/devices/bench/simulated/truth/chip-truth.ts'
import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import { Provenance } from '../../../../src/devices/chip/provenance/provenance.ts'
import { describeScheduler } from '../../../../src/devices/scheduler/describe.ts'
import { type Routine, RoutineError } from '../../../../src/devices/tuning/routine.ts'
import { BUILT_IN_ROUTINES } from '../../../../src/devices/tuning/routines/index.ts'
import { EPOCH } from '../../../support/simulated-chip/chips.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { coldQubit, coldTruth, only } from '../../../support/tuning/cold-qubit.ts'
import { RUNS_WHOLE, rows } from '../../../support/whole.ts'

const DAY_MS = 86_400_000
/** Nothing here follows from these, which take half of the time of a run. */
const ONLY_WHOLE = /12|_2$|three_state|purity/
const OF_QUBITS = only(
  BUILT_IN_ROUTINES.filter(({ kind, name }) => kind !== 'edge' && (RUNS_WHOLE || !ONLY_WHOLE.test(name))),
)
const LAST = RUNS_WHOLE ? 'purity_benchmarking' : 'randomized_benchmarking'
const { q0 } = coldTruth(5, -1).qubits

/** The routines, of which the last one begins a day later. */
const ROUTINES_WITH = (pass: () => void): readonly Routine[] =>
  OF_QUBITS.map((routine) => ({
    ...routine,
    *measure(context) {
      if (routine.name === LAST) pass()
      return yield* routine.measure(context)
    },
  }))

/** A full calibration of a cold qubit that changes before its last routine. */
async function runWith(folder: string, events: ChipTruth['events'], change = (each: Routine) => each) {
  const truth = { ...coldTruth(5, -1), events }
  const qubit = coldQubit(folder, truth)
  let isPast = false
  const routines = ROUTINES_WITH(() => {
    if (!isPast) qubit.clock.jump(DAY_MS)
    isPast = true
  })
  const findings = await qubit.calibrate('full', '', routines.map(change))
  return { findings, qubit }
}

const at = new Date(Date.parse(EPOCH) + DAY_MS / 2).toISOString()
const step = (field: string, by: number) => ({ kind: 'step' as const, at, target: 'q0', field, by })

/** No check was out and nothing was calibrated once more. */
function expectQuiet({ notes, routines }: Awaited<ReturnType<typeof runWith>>['findings']) {
  expect(notes?.filter((note) => /moved during|at the end of the run/.test(note))).toEqual([])
  expect(routines?.filter(({ superseded }) => superseded)).toEqual([])
}

/** A benchmark whose error is so many times as large. */
const worse = ({ error = 0 }: { error?: number }, times: number) => ({
  ...{ error: times * error, fidelity: 1 - times * error },
})

const CHANGES: [string, ChipTruth['events'][number], string, string, (value: number) => boolean][] = [
  [
    'readout',
    step('readout.phase', 1.2),
    'two_state_discrimination',
    'measure_2state.acq_rotation',
    Number.isFinite,
  ],
  [
    'frequency',
    step('f01', 4e5),
    'ramsey_correction',
    'clock_freqs.f01',
    (value) => Math.abs(value - (q0?.f01 ?? 0) - 4e5) < 20e3,
  ],
  ['T1', step('t1', -0.85 * (q0?.t1 ?? 0)), 't1', 'coherence.t1', (value) => value < 0.3 * (q0?.t1 ?? 0)],
]

/** What a check of the routine sees, and a drift check bears. */
const BORNE: [string, ChipTruth['events'][number]][] = [
  ['frequency', step('f01', 3e4)],
  ['T1', step('t1', -0.55 * (q0?.t1 ?? 0))],
]

const RETURNS: [string, number, string[]][] = [
  ['returns', -1, ['switches']],
  ['leaves twice', 1, ['moved during']],
]

const WORSE: [string, number, boolean][] = [
  ['nine times as large keeps jobs from the qubit', 40, true],
  ['three times as large is a failure, with stale values', 6, false],
]

describe('the end of a full calibration', () => {
  test.each(rows(CHANGES, 1))(
    'sees what has moved during the run and calibrates it once more: %s',
    async (_, event, routine, path, isRight) => {
      using folder = temporaryFolder()
      const { findings, qubit } = await runWith(folder.path, [event])
      expect([findings.status, findings.errors]).toEqual(['success', []])
      expect(findings.notes).toContain(`q0 ${routine}: moved during the run and was calibrated once more`)
      expect(isRight(await qubit.value(path))).toBe(true)
      const entries = findings.routines?.filter((each) => each.routine === routine) ?? []
      expect(entries.map(({ superseded }) => superseded === true)).toEqual([true, false])
    },
    60_000,
  )

  test.each(rows(BORNE, 1))(
    'bears what a drift check bears: %s',
    async (_, event) => {
      using folder = temporaryFolder()
      const { findings } = await runWith(folder.path, [event])
      expect([findings.status, findings.errors]).toEqual(['success', []])
      expectQuiet(findings)
    },
    60_000,
  )

  if (RUNS_WHOLE)
    test('is quiet on a chip that stays as it is', async () => {
      using folder = temporaryFolder()
      const { findings } = await runWith(folder.path, [])
      expect([findings.status, findings.errors]).toEqual(['success', []])
      expectQuiet(findings)
    }, 60_000)

  test.each(rows(RETURNS, 1))(
    'tells a frequency that switches from one that moves: it %s',
    async (_, direction, notes) => {
      using folder = temporaryFolder()
      const by = -152e3
      const second = new Date(Date.parse(EPOCH) + 1.5 * DAY_MS).toISOString()
      const steps = [step('f01', by), { ...step('f01', direction * by), at: second }]
      const qubit = coldQubit(folder.path, { ...coldTruth(5, -1), events: steps })
      const passed: string[] = []
      const passDay = (when: string) => {
        if (!passed.includes(when)) qubit.clock.jump(DAY_MS)
        passed.push(when)
      }
      // The frequency leaves before the end of the run, and moves again once it was calibrated again.
      const routines: readonly Routine[] = OF_QUBITS.map((routine) => ({
        ...routine,
        *measure(context) {
          if (routine.name === LAST) passDay('end')
          const finding = yield* routine.measure(context)
          // What is measured as in a drift check has more shots than the first look of a calibration.
          const isFound = routine.name === 'ramsey_correction' && context.shots(1) === 1
          if (isFound && passed.length > 0) passDay('again')
          return finding
        },
      }))
      const findings = await qubit.calibrate('full', '', routines)
      expect([findings.status, findings.errors]).toEqual(['success', []])
      const said = findings.notes?.filter(
        (note) => note.includes('ramsey_correction') || /switches/.test(note),
      )
      expect(said?.map((note) => /switches|moved during/.exec(note)?.[0])).toEqual(
        expect.arrayContaining(notes),
      )
      expect(findings.notes?.some((note) => /switches between .* 15[123] kHz apart/.test(note))).toBe(
        direction < 0,
      )
      const now = (q0?.f01 ?? 0) + (direction < 0 ? 0 : 2 * by)
      expect(Math.abs((await qubit.value('clock_freqs.f01')) - now)).toBeLessThan(20e3)
    },
    60_000,
  )

  test.each(rows(WORSE, 1))(
    'repeats the benchmarks: an error more than %s',
    async (_, factor, isUnusable) => {
      using folder = temporaryFolder()
      let runs = 0
      const { findings, qubit } = await runWith(folder.path, [], (routine) =>
        routine.name === 'randomized_benchmarking'
          ? {
              ...routine,
              *measure(context) {
                const found = yield* routine.measure(context)
                const { benchmark } = found
                const times = ++runs > 1 ? factor : 1
                return {
                  ...found,
                  ...(benchmark && { benchmark: { ...benchmark, ...worse(benchmark, times) } }),
                }
              },
            }
          : routine,
      )
      expect([findings.status, findings.errors]).toEqual([
        'partial_failure',
        [
          expect.stringMatching(
            /^q0 randomized_benchmarking: not_verified at the end of the run: \S+, \S+ in the run; the values are kept and stale$/,
          ),
        ],
      ])
      expectQuiet(findings)
      expect(
        findings.notes?.filter((note) => /verified by readout_fidelity: q0 \S+ %/.test(note)),
      ).toHaveLength(1)
      const file = readDeviceFile(readFileSync(qubit.devicePath, 'utf8'))
      if ('problems' in file) throw new Error(file.problems.join('\n'))
      const { qubits = [] } = describeScheduler({
        ...{ chip: file.chip, hardware: undefined, backend: 'simulated', deviceConfig: '' },
        provenance: Provenance.read(qubit.devicePath),
      })
      expect(qubits[0]?.stale?.map(({ reason }) => reason)).toEqual([
        expect.stringContaining('rxy.amp180 was found stale by randomized_benchmarking'),
      ])
      expect(qubits[0]?.operational).toBe(isUnusable ? false : undefined)
    },
    60_000,
  )

  test('repeats a benchmark that is off in the size of the run: one of few sequences may not decide', async () => {
    using folder = temporaryFolder()
    const { findings } = await runWith(folder.path, [], (routine) =>
      routine.name === 'randomized_benchmarking'
        ? {
            ...routine,
            *measure(context) {
              const found = yield* routine.measure(context)
              if (context.shots(1) !== 1) throw new RoutineError('unresolved', 'the error is too large')
              return found
            },
          }
        : routine,
    )
    expect([findings.status, findings.errors]).toEqual(['success', []])
    expect(
      findings.notes?.filter((note) => /verified by randomized_benchmarking: q0/.test(note)),
    ).toHaveLength(1)
  }, 60_000)

  test('keeps the values of before where a check is out even then', async () => {
    using folder = temporaryFolder()
    const { findings, qubit } = await runWith(folder.path, [], (routine) =>
      routine.name === 't1'
        ? {
            ...routine,
            *measure(context) {
              if (context.shots(1) !== 1)
                throw new RoutineError('no_signal', 'nothing of it is seen any more')
              return yield* routine.measure(context)
            },
            // biome-ignore lint/correctness/useYield: a check that needs no acquisition
            *check() {
              return { state: 'out', margin: 5 }
            },
          }
        : routine,
    )
    expect(findings.status).toBe('partial_failure')
    expect(findings.errors).toEqual([
      'q0 t1: not_verified off by 5.00 times its limit at the end of the run, after one more calibration; the values of before are kept',
    ])
    expect(await qubit.value('coherence.t1')).toBeNaN()
    expect(await qubit.value('clock_freqs.f01')).not.toBe(4.42e9)
    for (const { parameters } of findings.routines?.filter(({ routine }) => routine === 't1') ?? [])
      expect(Object.values(parameters ?? {}).map(({ written }) => written)).not.toContain(true)
  }, 60_000)
})
