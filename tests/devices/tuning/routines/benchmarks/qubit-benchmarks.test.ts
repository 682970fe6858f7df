import { expect, test } from 'bun:test'
import { inverseOf, randomGates, X90_GATE } from '../../../../../src/devices/tuning/measure/clifford.ts'
import { coherenceLimit } from '../../../../../src/devices/tuning/report/error-budget.ts'
import { BUILT_IN_ROUTINES } from '../../../../../src/devices/tuning/routines/index.ts'
import { createRng } from '../../../../../src/simulator/index.ts'
import { quietTruth } from '../../../../support/simulated-chip/chips.ts'
import { qubitOf } from '../../../../support/simulated-chip/experiments.ts'
import { calibratedQubit } from '../../../../support/tuning/calibrated-qubit.ts'
import { simulatedQubits } from '../../../../support/tuning/simulated-qubit.ts'

const PULSES = [
  ...['qubit_01_spectroscopy', 'rabi_oscillations', 'ramsey_correction'],
  ...['motzoi_parameter', 'n_rabi_oscillations'],
]

function routineOf(name: string) {
  const routine = BUILT_IN_ROUTINES.find((each) => each.name === name)
  if (!routine) throw new Error(`no routine ${name}`)
  return routine
}

test('inverseOf() undoes any gates, and the inverse of the inverse is the gate', () => {
  for (let gate = 0; gate < 24; gate++) expect(inverseOf([inverseOf([gate])])).toBe(gate)
  const rng = createRng(4)
  for (let length = 1; length < 40; length++) {
    const gates = randomGates(rng, length)
    expect(inverseOf([...gates, inverseOf(gates)])).toBe(0)
  }
  expect(inverseOf([X90_GATE, X90_GATE, X90_GATE, X90_GATE])).toBe(0)
  expect(inverseOf([X90_GATE, X90_GATE])).not.toBe(0)
})

test('a calibrated qubit reaches an error near the limit of its coherence', async () => {
  const truth = { ...quietTruth(1, 12), shots_noise: true, hand: -1 as const }
  const qubit = qubitOf(truth, 'q0')
  const chip = simulatedQubits(truth)
  const measure = async (name: string) => {
    const routine = routineOf(name)
    const { error, finding } = await chip.measure(routine)
    expect([name, error?.message]).toEqual([name, undefined])
    const declared = new Set([...routine.reads, ...routine.priors])
    const undeclared = [...(chip.reads.get(name) ?? [])].filter((path) => !declared.has(path))
    expect([name, undeclared]).toEqual([name, []])
    return finding
  }
  for (const name of PULSES) await measure(name)
  const limit =
    coherenceLimit(56e-9, [{ t1: { value: qubit.t1 }, t2: { value: qubit.t2_echo } }])?.value ?? Number.NaN
  const rb = (await measure('randomized_benchmarking'))?.benchmark
  expect(rb?.error).toBeGreaterThan(0.6 * limit)
  expect(rb?.error).toBeLessThan(2 * limit)
  const purity = (await measure('purity_benchmarking'))?.benchmark
  expect(purity?.incoherent).toBeGreaterThan(0.6 * limit)
  expect(purity?.incoherent).toBeLessThan(1.4 * limit)
})

test('what a repetition finds left of the one before does not count as an error of pulses', async () => {
  // Every axis decays alike, and without noise of shots: what is left is the number of pulses, within 1.5 %.
  const t1 = 3e-4
  const axes = { depths: [1, 64, 128, 256] }
  const qubit = calibratedQubit(5, { t1, t2_echo: t1, t2_star: 0.9999 * t1 }, { axes })
  qubit.truth.shots_noise = false
  qubit.values.set('q0', 'coherence.t1', t1)
  for (const name of ['randomized_benchmarking', 'purity_benchmarking']) {
    const { finding } = await qubit.measure(routineOf(name))
    expect(Math.abs((finding?.benchmark?.error ?? Number.NaN) / qubit.gateError - 1)).toBeLessThan(0.015)
  }
})

test('interleaved benchmarking tells the error of a quarter turn', async () => {
  const truth = { ...quietTruth(1, 12), shots_noise: true, hand: 1 as const }
  const qubit = qubitOf(truth, 'q0')
  const chip = simulatedQubits(truth, { interleave: 'x90' })
  const measure = async (name: string) => {
    const { error, finding } = await chip.measure(routineOf(name))
    expect([name, error?.message]).toEqual([name, undefined])
    return finding
  }
  for (const name of PULSES) await measure(name)
  const limit =
    coherenceLimit(56e-9, [{ t1: { value: qubit.t1 }, t2: { value: qubit.t2_echo } }])?.value ?? Number.NaN
  const calibrated = await measure('randomized_benchmarking')
  expect(calibrated?.benchmark?.error).toBeGreaterThan(0.5 * limit)
  expect(calibrated?.benchmark?.error).toBeLessThan(2 * limit)

  // A rotation by an angle too much has the error angle²/6 (Nielsen, Phys. Lett. A 303, 249 (2002)).
  const amp90 = chip.values.number('q0', 'fine.amp90') ?? Number.NaN
  chip.values.set('q0', 'fine.amp90', 1.06 * amp90)
  const rotated = limit + (0.06 * (Math.PI / 2)) ** 2 / 6
  const worse = await measure('randomized_benchmarking')
  // Sequences with such an error differ so much that it may be below two standard errors: a bound, then.
  const { error: found, upperBound } = worse?.benchmark ?? {}
  expect(found ?? upperBound?.error).toBeGreaterThan(0.6 * rotated)
  expect(found ?? (upperBound?.error ?? Number.NaN) / 2).toBeLessThan(1.6 * rotated)
})
