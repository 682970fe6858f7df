import { describe, expect, test } from 'bun:test'
import type { ChipTruth } from '../../../../../src/devices/bench/simulated/truth/chip-truth.ts'
import type { Routine } from '../../../../../src/devices/tuning/routine.ts'
import { BUILT_IN_ROUTINES } from '../../../../../src/devices/tuning/routines/index.ts'
import { EPOCH, quietTruth } from '../../../../support/simulated-chip/chips.ts'
import { qubitOf } from '../../../../support/simulated-chip/experiments.ts'
import { coldTruth } from '../../../../support/tuning/cold-qubit.ts'
import { simulatedQubits } from '../../../../support/tuning/simulated-qubit.ts'
import { rows } from '../../../../support/whole.ts'

const NAMES = [
  ...['qubit_01_spectroscopy', 'rabi_oscillations', 'ramsey_correction', 'motzoi_parameter'],
  ...['n_rabi_oscillations', 't1', 't2', 't2_echo', 'all_xy'],
]
const ROUTINES = NAMES.map(named)

function named(name: string): Routine {
  const routine = BUILT_IN_ROUTINES.find((each) => each.name === name)
  if (!routine) throw new Error(`no routine ${name}`)
  return routine
}

/** A chip of the given handedness, with shot noise, thermal population and damping, but no drift. */
function chipWith(hand: ChipTruth['hand'], seed: number): ChipTruth {
  return { ...quietTruth(1, seed), shots_noise: true, hand }
}

type Chip = readonly [hand: ChipTruth['hand'], seed: number]

const CHIPS: readonly Chip[] = [
  [-1, 13],
  [1, 11],
  [-1, 11],
  [1, 12],
]

/** A chip on which all routines have run, with those that failed. */
async function calibrated([hand, seed]: Chip) {
  const truth = chipWith(hand, seed)
  const chip = simulatedQubits(truth)
  const failures: string[] = []
  for (const routine of ROUTINES) {
    const { error } = await chip.measure(routine)
    if (error) failures.push(`${routine.name}: ${error.code} ${error.message}`)
  }
  return { chip, truth, failures }
}

describe('the routines of a qubit', () => {
  const chips = rows(CHIPS, 1).map((each) => ({ each, run: calibrated(each) }))

  test.each(chips)('calibrate it from design values, $each', async ({ run }) => {
    const { chip, truth, failures } = await run
    const qubit = qubitOf(truth, 'q0')
    expect(failures).toEqual([])
    for (const { name, reads, priors } of ROUTINES) {
      const declared = new Set([...reads, ...priors])
      const undeclared = [...(chip.reads.get(name) ?? [])].filter((path) => !declared.has(path))
      expect([name, undeclared]).toEqual([name, []])
    }
    const value = (path: string) => chip.values.number('q0', path) ?? Number.NaN
    expect(Math.abs(value('clock_freqs.f01') - qubit.f01)).toBeLessThan(2_000)
    expect(Math.abs(value('coherence.t1') / qubit.t1 - 1)).toBeLessThan(0.2)
    expect(Math.abs(value('coherence.t2_star') / qubit.t2_star - 1)).toBeLessThan(0.25)
    expect(Math.abs(value('coherence.t2_echo') / qubit.t2_echo - 1)).toBeLessThan(0.25)
    // Known only to first order from the truth; the fine routines agree with each other instead.
    expect(Math.abs(value('rxy.amp180') / (2 * value('fine.amp90')) - 1)).toBeLessThan(0.03)
    const xy = await chip.measure(named('all_xy'))
    expect(xy.finding?.benchmark?.error).toBeLessThan(0.03)
    for (const routine of ROUTINES) {
      if (routine.check)
        expect([routine.name, (await chip.check(routine)).state]).toEqual([routine.name, 'in'])
    }
  })

  const OFFSETS = [
    [-230e6, 11],
    [170e6, 14],
    [245e6, 15],
  ] as const
  test.each(rows(OFFSETS, 1))('find a line that is %i Hz from its design, seed %i', async (offset, seed) => {
    const truth = chipWith(1, seed)
    const { f01 } = qubitOf(truth, 'q0')
    const chip = simulatedQubits(truth)
    chip.values.set('q0', 'clock_freqs.f01', f01 + offset)
    const { error, attempts } = await chip.measure(named('qubit_01_spectroscopy'))
    expect([error?.message, attempts]).toEqual([undefined, 2])
    expect(Math.abs((chip.values.number('q0', 'clock_freqs.f01') ?? 0) - f01)).toBeLessThan(200e3)
  })

  test.each(rows([86.2e3, 86.4e3], 1))('refuse the middle of two frequencies %f Hz apart', async (shift) => {
    // Both cancel after 5.8 µs: of fringes that end soon afterwards, a single one explains as much.
    const truth = coldTruth(1_105, 1)
    qubitOf(truth, 'q0').switching = { shift, dwell: 1 }
    const chip = simulatedQubits(truth)
    for (const name of ['qubit_01_spectroscopy', 'rabi_oscillations']) await chip.measure(named(name))
    const { error } = await chip.measure(named('ramsey_correction'))
    expect(error?.code).toBe('unresolved')
  })

  test.each([
    ['qubit_01_spectroscopy', 'clock_freqs.f01', 3e6],
    ['ramsey_correction', 'clock_freqs.f01', 60e3],
    ['rabi_oscillations', 'rxy.amp180', 0.05],
    ['rabi_oscillations', 'rxy.amp180', 0.2],
    ['n_rabi_oscillations', 'rxy.amp180', 0.01],
    ['motzoi_parameter', 'rxy.motzoi', 0.05],
    ['t1', 'coherence.t1', 40e-6],
  ])('notice by the check of %s that %s is off by %f', async (name, path, by) => {
    const { chip } = await (chips[0]?.run ?? calibrated([-1, 13]))
    const found = chip.values.number('q0', path) ?? 0
    chip.values.set('q0', path, found + by)
    const { state, margin } = await chip.check(named(name))
    chip.values.set('q0', path, found)
    expect(state).toBe('out')
    expect(margin).toBeGreaterThan(1)
  })

  test('accept nothing from a qubit that is not there', async () => {
    const truth = chipWith(1, 14)
    const dead = { kind: 'dead' as const, at: EPOCH, target: 'q0', part: 'drive' as const }
    const chip = simulatedQubits({ ...truth, events: [dead] })
    for (const routine of ROUTINES) {
      const { error } = await chip.measure(routine)
      expect([routine.name, error?.code]).not.toEqual([routine.name, undefined])
      if (routine.name === 'qubit_01_spectroscopy')
        expect(error?.message).toMatch(
          /; frequency from [\d.]+ GHz to [\d.]+ GHz in 3 attempts: the drive of q0 may be dead$/,
        )
    }
  })
})
