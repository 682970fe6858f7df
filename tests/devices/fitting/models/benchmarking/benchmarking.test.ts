import { expect, test } from 'bun:test'
import {
  type BenchmarkingFit,
  fitBenchmarking,
  fitPurity,
  purityOf,
} from '../../../../../src/devices/fitting/models/benchmarking/benchmarking.ts'
import {
  combineInterleaved,
  fitInterleaved,
} from '../../../../../src/devices/fitting/models/benchmarking/interleaved.ts'
import { fitLeakage, withoutLeakage } from '../../../../../src/devices/fitting/models/benchmarking/leakage.ts'
import { createRng } from '../../../../../src/devices/index.ts'
import { finished } from '../../../../support/fitting/finished.ts'

const DEPTHS = [0, 2, 4, 8, 16, 32, 64, 128]
const ripple = (at: number) => 2e-3 * Math.sin(9 * at ** 2)
const survival = (p: number) => DEPTHS.map((m, at) => [0.25 + 0.72 * p ** m + ripple(at)])
const TWO = { qubits: 2 } as const

test('combineInterleaved() gives the error of the gate, 3/4 of the relative loss', () => {
  const [reference, interleaved] = [
    finished(fitBenchmarking(DEPTHS, survival(0.985), TWO)),
    finished(fitBenchmarking(DEPTHS, survival(0.97), TWO)),
  ]
  const gate = combineInterleaved({ reference, interleaved }, TWO)
  const truth = 0.75 * (1 - 0.97 / 0.985)
  expect(gate.ok && Math.abs(gate.values.gate_error.value - truth) / truth).toBeLessThan(0.05)
  expect(gate.ok && gate.values.fidelity.value + gate.values.gate_error.value).toBeCloseTo(1, 12)
})

test('combineInterleaved() rejects a gate that improves the survival', () => {
  const fit = (p: number) => finished(fitBenchmarking(DEPTHS, survival(p), TWO))
  const [reference, interleaved] = [fit(0.96), fit(0.99)]
  expect(combineInterleaved({ reference, interleaved }, TWO)).toMatchObject({
    ok: false,
    code: 'implausible',
  })
  const broken = finished(
    fitBenchmarking(
      DEPTHS,
      DEPTHS.map(() => [0.25]),
      TWO,
    ),
  )
  expect(combineInterleaved({ reference, interleaved: broken }, TWO)).toMatchObject({ code: 'no_data' })
  expect(combineInterleaved({ reference: broken, interleaved }, TWO)).toMatchObject({ code: 'no_data' })
})

test('interleaved benchmarking of a gate that leaks finds its error', () => {
  const [p, leaked, returned] = [0.985, 1.5e-3, 2e-3]
  // Populations outside the computational states, and what survives of 00, after sequences without and with
  // the gate: its error is that within the states and a quarter of its leakage.
  const kinds = [0.3, 1].map((part) => {
    const rate = part * leaked + returned
    const outside = DEPTHS.map((m) => ((part * leaked) / rate) * -Math.expm1(-rate * m))
    const decay = part === 1 ? p * 0.99 : p
    const found = DEPTHS.map((m, at) => (1 - (outside[at] ?? 0)) / 4 + 0.72 * decay ** m + ripple(at) / 8)
    const seen = outside.map((value, at) => value + 0.01 + ripple(at) / 40)
    const growth = finished(
      fitLeakage(
        DEPTHS,
        seen.map((value) => [value]),
      ),
    )
    return { found, growth }
  })
  const truth = 0.75 * 0.01 + (0.7 * leaked) / 4
  const [reference, interleaved] = kinds.map(({ found, growth }) => {
    if (!growth.ok) throw new Error(growth.message)
    return finished(
      fitBenchmarking(
        DEPTHS,
        found.map((value, at) => withoutLeakage(DEPTHS[at] ?? 0, [value], growth.values, 0.25)),
        TWO,
      ),
    )
  }) as [BenchmarkingFit, BenchmarkingFit]
  const gate = combineInterleaved({ reference, interleaved }, TWO, { value: 0.7 * leaked, error: 1e-4 })
  expect(gate.ok && Math.abs(gate.values.gate_error.value / truth - 1)).toBeLessThan(0.02)
  expect(gate.ok && gate.values.gate_error.error).toBeGreaterThan(0.25e-4)
  const [a, b] = kinds.map(({ found }) =>
    finished(
      fitBenchmarking(
        DEPTHS,
        found.map((value) => [value]),
        TWO,
      ),
    ),
  ) as [BenchmarkingFit, BenchmarkingFit]
  const pinned = combineInterleaved({ reference: a, interleaved: b }, TWO)
  expect(pinned.ok && pinned.values.gate_error.value / truth - 1).toBeGreaterThan(0.04)
})

test('fitBenchmarking() derives the figures of gates', () => {
  const depths = [1, 4, 16, 64, 128, 256, 512, 768, 1024]
  const fit = finished(
    fitBenchmarking(
      depths,
      depths.map((m, at) => [0.5 + 0.48 * 0.999 ** m + ripple(at)]),
    ),
  )
  expect(fit.ok && fit.values.error_per_clifford.value).toBeCloseTo(5e-4, 5)
  expect(fit.ok && fit.values.error_per_gate.value).toBeCloseTo(5e-4 / 1.833, 5)
  expect(fit.ok && fit.values.fidelity.value).toBeCloseTo(0.9995, 5)
})

test('fitBenchmarking() rejects survivals that hardly decay, or start too high', () => {
  const flat = DEPTHS.map((m, at) => [0.5 + 0.48 * 0.9999 ** m + ripple(at) / 50])
  expect(finished(fitBenchmarking(DEPTHS, flat))).toMatchObject({ ok: false, code: 'no_signal' })
  const high = DEPTHS.map((m, at) => [0.5 + 0.8 * 0.95 ** m + ripple(at)])
  expect(finished(fitBenchmarking(DEPTHS, high))).toMatchObject({ ok: false, code: 'implausible' })
})

test('purityOf() has no bias from the noise of few shots and of the readout', () => {
  const rng = createRng(5)
  const readout = () => 0.5 * (rng.next() + rng.next() - 1)
  const [truth, shots, repetitions] = [[0.5, -0.3, 0.1], 30, 4_000]
  let sum = 0
  for (let at = 0; at < repetitions; at++) {
    const measured = () =>
      truth.map((value) => {
        let ones = 0
        for (let shot = 0; shot < shots; shot++) if (rng.next() < (1 - value) / 2) ones++
        return 1 - (2 * ones) / shots + readout()
      })
    sum += purityOf(measured(), measured()) / repetitions
  }
  expect(sum).toBeGreaterThan(0.35 - 0.01)
  expect(sum).toBeLessThan(0.35 + 0.01)
})

test('fitPurity() gives the incoherent error', () => {
  const fit = finished(
    fitPurity(
      DEPTHS,
      DEPTHS.map((m, at) => [0.9 * 0.98 ** (m - 1) + ripple(at)]),
    ),
  )
  expect(fit.ok && fit.values.incoherent_error.value).toBeCloseTo((1 - Math.sqrt(0.98)) / 2, 3)
})

test('fitLeakage() gives the slope, whether the growth levels off or not', () => {
  for (const rate of [1e-3, 0.02]) {
    const leaked = DEPTHS.map((m, at) => [0.01 + (4e-3 / rate) * -Math.expm1(-rate * m) + ripple(at) / 4])
    const fit = finished(fitLeakage(DEPTHS, leaked))
    expect(fit.ok && Math.abs(fit.values.leakage_per_gate.value - 4e-3)).toBeLessThan(4e-4)
  }
})

test('a pair that is gone within two gates has no error, and no bound of one', () => {
  // As measured on a pair of which one qubit had no frequency.
  const depths = [0, 2, 4, 8, 16, 32, 64, 128]
  const means = [0.966, 0.24, 0.273, 0.208, 0.286, 0.254, 0.198, 0.22]
  const rng = createRng(3)
  const noisy = () => means.map((mean) => Array.from({ length: 8 }, () => mean + 0.02 * rng.normal()))
  const decays = [noisy(), noisy()].map((survival) => ({ depths, survival }))
  const [reference, interleaved] = decays as [(typeof decays)[0], (typeof decays)[0]]
  const found = finished(fitInterleaved(reference, interleaved, { qubits: 2, base: 0.25 }))
  expect([found.gate.ok, found.upperBound]).toEqual([false, undefined])
})
