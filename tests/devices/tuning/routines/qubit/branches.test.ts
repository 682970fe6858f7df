import { expect, test } from 'bun:test'
import { BUILT_IN_ROUTINES } from '../../../../../src/devices/tuning/routines/index.ts'
import { qubitOf } from '../../../../support/simulated-chip/experiments.ts'
import { calibratedQubit } from '../../../../support/tuning/calibrated-qubit.ts'

const COHERENCE = { t1: 60e-6, t2_echo: 60e-6, t2_star: 25e-6 }

/** What a routine finds of a qubit, and after how many attempts. */
async function foundBy(qubit: ReturnType<typeof calibratedQubit>, name: string, path: string) {
  const routine = BUILT_IN_ROUTINES.find((each) => each.name === name)
  if (!routine) throw new Error(`no routine ${name}`)
  const { error, finding, attempts } = await qubit.measure(routine)
  expect(error?.message).toBeUndefined()
  return { value: Number(finding?.parameters?.[path]?.value), attempts }
}

// The first is cancelled by an artificial detuning; of the second, two fringes have the same frequency.
test.each([-1e6, 0.3e6])('the sign of a detuning of %f Hz is found', async (offset) => {
  const qubit = calibratedQubit(31, COHERENCE)
  const path = 'clock_freqs.f01'
  const truth = qubit.values.number('q0', path) ?? Number.NaN
  qubit.values.set('q0', path, truth + offset)
  const { value } = await foundBy(qubit, 'ramsey_correction', path)
  expect(Math.abs(value - truth)).toBeLessThan(1_000)
})

test('the line of two photons between states 0 and 2 is not that of the qubit', async () => {
  const qubit = calibratedQubit(31, COHERENCE)
  const { f01, anharmonicity } = qubitOf(qubit.truth, 'q0')
  const path = 'clock_freqs.f01'
  qubit.values.set('q0', path, f01 + anharmonicity / 2)
  const { value, attempts } = await foundBy(qubit, 'qubit_01_spectroscopy', path)
  expect(attempts).toBe(2)
  expect(Math.abs(value - f01)).toBeLessThan(200e3)
})

test('the weight of the derivative is found beyond the sweep, and not one period of the repetitions off', async () => {
  const qubit = calibratedQubit(31, COHERENCE)
  const path = 'rxy.motzoi'
  const weak = 0.15
  const truth = (qubit.values.number('q0', path) ?? Number.NaN) / weak
  qubitOf(qubit.truth, 'q0').quadrature *= weak
  qubit.values.set('q0', path, 0)
  const { value, attempts } = await foundBy(qubit, 'motzoi_parameter', path)
  expect(attempts).toBe(2)
  expect(Math.abs(value - truth)).toBeLessThan(0.003)
})
