import { describe, expect, test } from 'bun:test'
import { BUILT_IN_ROUTINES } from '../../../../../src/devices/tuning/routines/index.ts'
import { calibratedQubit } from '../../../../support/tuning/calibrated-qubit.ts'

function named(name: string) {
  const routine = BUILT_IN_ROUTINES.find((each) => each.name === name)
  if (!routine) throw new Error(`no routine ${name}`)
  return routine
}

const LIMITS = [
  { t1: 5e-6, t2_echo: 4e-6, t2_star: 1e-6 },
  { t1: 1.5e-3, t2_echo: 2.5e-3, t2_star: 2e-3 },
  { t1: 1.5e-3, t2_echo: 60e-6, t2_star: 8e-6 },
  { t1: 5e-3, t2_echo: 9e-3, t2_star: 5e-3 },
]

describe('coherence times between 5 µs and 5 ms', () => {
  test.each(LIMITS)('T1 $t1 s, T2 $t2_echo s, T2* $t2_star s', async (coherence) => {
    const qubit = calibratedQubit(21, coherence)
    for (const [name, path] of [
      ['t1', 't1'],
      ['t2', 't2_star'],
      ['t2_echo', 't2_echo'],
    ] as const) {
      const { error, finding } = await qubit.measure(named(name))
      expect([name, error?.message]).toEqual([name, undefined])
      const isShort = name === 't1' && coherence.t1 > 1e-3
      if (isShort) expect(finding?.notes?.[0]).toStartWith('reset.duration of 500 µs is shorter than 4 T1')
      const { value, error: spread = Number.NaN } = finding?.parameters?.[`coherence.${path}`] ?? { value: 0 }
      const truth = coherence[path]
      expect(Math.abs(Number(value) / truth - 1)).toBeLessThan(0.25)
      expect(Math.abs(Number(value) - truth)).toBeLessThan(4.5 * spread)
    }
  })
})

test('an error of pulses that short sequences do not resolve is a success with an upper bound', async () => {
  const qubit = calibratedQubit(21, LIMITS[1] ?? { t1: 0, t2_echo: 0, t2_star: 0 }, {
    axes: { depths: [1, 16, 64] },
  })
  qubit.values.set('q0', 'coherence.t1', 1.5e-3)
  for (const [name, truth] of [
    ['randomized_benchmarking', qubit.gateError],
    ['purity_benchmarking', qubit.coherenceLimit],
  ] as const) {
    const { error, finding } = await qubit.measure(named(name))
    expect([name, error?.message]).toEqual([name, undefined])
    const { benchmark } = finding ?? {}
    expect([benchmark?.fidelity, benchmark?.error]).toEqual([undefined, undefined])
    expect(benchmark?.upperBound?.error).toBeGreaterThan(truth)
    expect(benchmark?.upperBound?.error).toBeLessThan(1e-3)
    expect(benchmark?.upperBound?.confidence).toBe(0.95)
  }
})
