import { describe, expect, test } from 'bun:test'
import type { ChipTruth } from '../../../../../src/devices/bench/simulated/truth/chip-truth.ts'
import { BUILT_IN_ROUTINES } from '../../../../../src/devices/tuning/routines/index.ts'
import { quietTruth } from '../../../../support/simulated-chip/chips.ts'
import { qubitOf } from '../../../../support/simulated-chip/experiments.ts'
import { scoreAt } from '../../../../support/tuning/acceptance/readout-truth.ts'
import { calibratedQubit } from '../../../../support/tuning/calibrated-qubit.ts'
import { simulatedQubits } from '../../../../support/tuning/simulated-qubit.ts'

const NAMES = [
  ...['resonator_spectroscopy', 'time_of_flight', 'punchout'],
  ...['qubit_01_spectroscopy', 'rabi_oscillations', 'ramsey_correction'],
  ...['resonator_spectroscopy_1', 'ro_two_state_optimization', 'ro_duration_optimization'],
  ...['two_state_discrimination', 'readout_fidelity'],
]
const THREE_STATES = ['resonator_spectroscopy_2', 'three_state_discrimination']
/** The window of the design, which a routine shortens after the power was chosen, s. */
const DESIGN_WINDOW = 2.5e-6
/** Routines of this folder. */
const READOUT = /^(reso|time|punch|ro_|two|three|readout)/

function routineOf(name: string) {
  const routine = BUILT_IN_ROUTINES.find((each) => each.name === name)
  if (!routine) throw new Error(`no routine ${name}`)
  return routine
}

/** A chip with noise, whose file has the readout frequency wrong by 0.8 MHz. */
function chipWith(hand: ChipTruth['hand'], seed: number) {
  const truth: ChipTruth = { ...quietTruth(1, seed), shots_noise: true, hand }
  const chip = simulatedQubits(truth)
  const { readout } = qubitOf(truth, 'q0')
  chip.values.set('q0', 'clock_freqs.readout', readout.frequency + 0.8e6)
  return { chip, readout, truth }
}

/** The check of a routine is in, and a routine of this folder has read only what it declares. */
async function expectHolds(chip: ReturnType<typeof simulatedQubits>, name: string): Promise<void> {
  const routine = routineOf(name)
  const state = routine.check ? (await chip.check(routine)).state : 'in'
  expect([name, state]).toEqual([name, 'in'])
  if (!READOUT.test(name)) return
  const declared = new Set([...routine.reads, ...routine.priors])
  const undeclared = [...(chip.reads.get(name) ?? [])].filter((path) => !declared.has(path))
  expect([name, undeclared]).toEqual([name, []])
}

test('the check of two_state_discrimination bears errors that the readout had when it was calibrated', async () => {
  const qubit = calibratedQubit(3, { t1: 5e-6, t2_echo: 5e-6, t2_star: 3e-6 })
  const routine = routineOf('two_state_discrimination')
  const { finding } = await qubit.measure(routine)
  for (const [path, { value }] of Object.entries(finding?.parameters ?? {}))
    qubit.values.set('q0', path, value)
  expect(finding?.quality?.['fidelity']).toBeLessThan(0.88)
  expect((await qubit.check(routine)).state).toBe('in')
})

describe('the lines of excited states, of a qubit that relaxes within the readout', () => {
  test.each([
    ['resonator_spectroscopy_1', 'resonator.readout_1', 0, 0.06],
    ['resonator_spectroscopy_2', 'resonator.readout_2', 1, 0.15],
  ])('%s', async (name, path, level, widths) => {
    const qubit = calibratedQubit(3, { t1: 5e-6, t2_echo: 5e-6, t2_star: 3e-6 })
    const { readout, f01, anharmonicity } = qubitOf(qubit.truth, 'q0')
    const amp180 = qubit.values.number('q0', 'rxy.amp180') ?? Number.NaN
    const values = {
      'clock_freqs.f12': f01 + anharmonicity,
      'r12.ef_amp180': amp180 / Math.SQRT2,
      'r12.ef_duration': 56e-9,
      'resonator.linewidth': readout.linewidth,
    }
    for (const [at, value] of Object.entries(values)) qubit.values.set('q0', at, value)
    const shift = async () => {
      const { error, finding } = await qubit.measure(routineOf(name))
      expect(error?.message).toBeUndefined()
      expect(finding?.parameters?.[path]).toBeDefined()
      return Number(finding?.quality?.['shift'])
    }
    const truth = readout.pulls[level] ?? Number.NaN
    const tolerance = widths * readout.linewidth
    // What is not known of T1 is not corrected for.
    expect(Math.abs((await shift()) - truth)).toBeGreaterThan(1.2 * tolerance)
    qubit.values.set('q0', 'coherence.t1', 5e-6)
    expect(Math.abs((await shift()) - truth)).toBeLessThan(tolerance)
  })

  test('a state of which nothing is left in the window has no line', async () => {
    const qubit = calibratedQubit(3, { t1: 5e-6, t2_echo: 5e-6, t2_star: 3e-6 })
    qubit.values.set('q0', 'coherence.t1', 0.8e-6)
    const { error } = await qubit.measure(routineOf('resonator_spectroscopy_1'))
    expect(error?.code).toBe('unresolved')
    expect(error?.message).toContain('are left in the window')
  })
})

describe('the routines of a readout', () => {
  const HAND = -1
  const SEED = 12
  const calibrated = (async () => {
    const made = chipWith(HAND, SEED)
    for (const name of NAMES) {
      const { error, finding } = await made.chip.measure(routineOf(name))
      expect([name, error?.message]).toEqual([name, undefined])
      if (name === 'readout_fidelity') expect(finding?.benchmark?.fidelity).toBeGreaterThan(0.94)
    }
    return made
  })()

  test('calibrate it from design values', async () => {
    const { chip, readout, truth } = await calibrated
    const value = (path: string) => chip.values.number('q0', path) ?? Number.NaN
    const { linewidth, critical_amplitude, frequency, pulls } = readout
    expect(Math.abs(value('resonator.linewidth') / linewidth - 1)).toBeLessThan(0.15)
    // At the chosen power the line is still where it is at low power.
    expect(Math.abs(value('clock_freqs.readout') - frequency)).toBeLessThan(0.15 * linewidth)
    expect(value('measure.pulse_amp')).toBeLessThan(critical_amplitude)
    expect(value('measure.acq_delay')).toBeGreaterThan(100e-9)
    expect(value('measure.acq_delay')).toBeLessThan(300e-9)
    const pull = value('resonator.readout_1') - value('clock_freqs.readout')
    expect(Math.abs(pull - pulls[0])).toBeLessThan(0.1 * linewidth)
    // No other power separates the states clearly better in the window in which it was chosen.
    const { resonators, transmons } = chip.chip.conditions()
    const [resonator, transmon] = [resonators.get('q0'), transmons.get('q0')]
    if (!resonator || !transmon) throw new Error('the chip has no q0')
    const chosen = value('measure_2state.pulse_amp')
    const [best = 0, ...others] = [1, 0.5, 0.7, 1.4, 2, 3].map((factor) =>
      scoreAt(resonator, transmon, {
        ...{ frequency: value('measure_2state.frequency'), amplitude: factor * chosen },
        ...{ window: DESIGN_WINDOW, pulse: value('measure.pulse_duration') },
        ...{ delay: value('measure.acq_delay'), reset: value('reset.duration') },
      }),
    )
    expect(best).toBeGreaterThan(0.95 * Math.max(...others))
    // The routines of the states 1 and 2 come before those that read three states.
    const { f01, anharmonicity } = qubitOf(truth, 'q0')
    chip.values.set('q0', 'clock_freqs.f12', f01 + anharmonicity)
    chip.values.set('q0', 'r12.ef_amp180', value('rxy.amp180') / Math.SQRT2)
    chip.values.set('q0', 'r12.ef_duration', 56e-9)
    for (const name of THREE_STATES) {
      const { error } = await chip.measure(routineOf(name))
      expect([name, error?.message]).toEqual([name, undefined])
    }
    const second = value('resonator.readout_2') - value('clock_freqs.readout')
    expect(Math.abs(second - pulls[1])).toBeLessThan(0.15 * linewidth)
    for (const name of [...NAMES, ...THREE_STATES]) await expectHolds(chip, name)
  })

  test.each([
    ['resonator_spectroscopy', 'clock_freqs.readout', 300e3],
    ['two_state_discrimination', 'measure_2state.acq_rotation', 90],
  ])('notice by the check of %s that %s is off by %f', async (name, path, by) => {
    const { chip } = await calibrated
    const found = chip.values.number('q0', path) ?? 0
    chip.values.set('q0', path, found + by)
    expect((await chip.check(routineOf(name))).state).toBe('out')
    chip.values.set('q0', path, found)
  })

  test('notice by the check of punchout that the qubit saturates at less power', async () => {
    const { chip: former, truth, readout } = await calibrated
    const weaker = { ...readout, critical_amplitude: 0.5 * readout.critical_amplitude }
    const qubits = { q0: { ...qubitOf(truth, 'q0'), readout: weaker } }
    const chip = simulatedQubits({ ...truth, qubits })
    for (const path of ['clock_freqs.readout', 'measure.pulse_amp', 'resonator.linewidth']) {
      chip.values.set('q0', path, former.values.number('q0', path) ?? Number.NaN)
    }
    expect((await chip.check(routineOf('punchout'))).state).toBe('out')
  })
})
