import { expect, test } from 'bun:test'
import { czRb } from '../../../../../src/devices/tuning/routines/benchmarks/cz_rb.ts'
import { processTomography } from '../../../../../src/devices/tuning/routines/benchmarks/process_tomography.ts'
import { czCalibration } from '../../../../../src/devices/tuning/routines/edge/cz_calibration.ts'
import { gatePair } from '../../../../support/tuning/gate-pair.ts'

test('benchmarks find the error of a gate', async () => {
  const { pair, truthNow, correctPhases } = gatePair({ hand: -1, seed: 5 })
  await pair.measure(czCalibration)
  correctPhases()
  const { error } = truthNow()
  for (const routine of [czRb, processTomography]) {
    const { error: failure, finding } = await pair.measure(routine)
    expect([routine.name, failure?.message]).toEqual([routine.name, undefined])
    const { benchmark } = finding ?? {}
    const { error: found = Number.NaN, fidelityError, upperBound } = benchmark ?? {}
    // Tomography does not resolve an error of some thousandths.
    if (routine === czRb) expect(Math.abs(found / error - 1)).toBeLessThan(0.2)
    else if (!upperBound) expect(Math.abs(found - error)).toBeLessThan(0.02)
    else expect([upperBound.error > error, upperBound.error < 0.04]).toEqual([true, true])
    expect(benchmark?.metric).toBe('average_gate')
    expect(fidelityError ?? upperBound?.error).toBeGreaterThan(0)
    const declared = new Set([...routine.reads, ...routine.priors])
    const undeclared = [...(pair.reads.get(routine.name) ?? [])].filter((path) => !declared.has(path))
    expect([routine.name, undeclared]).toEqual([routine.name, []])
  }
})

test('tomography sees what is left of a gate without corrections', async () => {
  const { pair, truthNow } = gatePair({ hand: 1, seed: 3 })
  const { local } = truthNow()
  const { finding } = await pair.measure(processTomography)
  // Two local phases a and b that are not corrected: |1 + e^ia + e^ib + e^i(a+b)|² / 16 of the process is
  // left.
  const [a, b] = [local['q0'] ?? 0, local['q1'] ?? 0].map((angle) => (angle * Math.PI) / 360)
  const process = (Math.cos(a ?? 0) * Math.cos(b ?? 0)) ** 2
  expect(Math.abs((finding?.benchmark?.fidelity ?? 0) - (4 * process + 1) / 5)).toBeLessThan(0.03)
})
