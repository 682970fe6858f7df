import { expect, test } from 'bun:test'
import { ALL_XY_PAIRS, type AllXyCause, fitAllXy } from '../../../../src/devices/fitting/models/all-xy.ts'
import { finished } from '../../../support/fitting/finished.ts'

type Complex = [number, number]
type Spinor = [Complex, Complex]
const multiply = ([a, b]: Complex, [c, d]: Complex): Complex => [a * c - b * d, a * d + b * c]

/**
 * Schrödinger equation of a pulse with a drive (x, y) and a detuning z, all as angles, in many small steps.
 */
function evolve([up, down]: Spinor, x: number, y: number, z: number): Spinor {
  let state: Spinor = [up, down]
  const steps = 2_000
  for (let step = 0; step < steps; step++) {
    const [a, b] = state
    const diagonal: Complex = [0, -z / 2 / steps]
    const lower: Complex = [y / 2 / steps, -x / 2 / steps]
    const upper: Complex = [-y / 2 / steps, -x / 2 / steps]
    const [da, db] = [multiply(diagonal, a), multiply([-diagonal[0], -diagonal[1]], b)]
    const [ua, ub] = [multiply(upper, b), multiply(lower, a)]
    state = [
      [a[0] + da[0] + ua[0], a[1] + da[1] + ua[1]],
      [b[0] + db[0] + ub[0], b[1] + db[1] + ub[1]],
    ]
  }
  return state
}

function populations(errors: Partial<Record<AllXyCause, number>>): number[] {
  const { amplitude = 0, detuning = 0, drag = 0 } = errors
  return ALL_XY_PAIRS.map((pair) => {
    let state: Spinor = [
      [1, 0],
      [0, 0],
    ]
    for (const gate of pair) {
      const share = gate === 'I' ? 0 : gate === gate.toUpperCase() ? 1 : 0.5
      const angle = Math.PI * share * (1 + amplitude)
      const isX = gate.toUpperCase() === 'X'
      state = evolve(state, isX ? angle : 0, isX ? 0 : angle, detuning + drag * share ** 2)
    }
    const [[a, b], [c, d]] = state
    return (c * c + d * d) / (a * a + b * b + c * c + d * d)
  })
}

test.each([
  ['amplitude', 0.03],
  ['amplitude', -0.03],
  ['detuning', 0.12],
  ['drag', -0.15],
] as const)('fitAllXy() names an error of %s of %d, with its sign', (cause, size) => {
  const fit = finished(
    fitAllXy(populations({ [cause]: size }).map((value, at) => value + 2e-3 * Math.sin(7 * at ** 2))),
  )
  expect(fit.ok && fit.values.cause).toBe(cause)
  expect(fit.ok && Math.abs(fit.values[cause].value - size)).toBeLessThan(0.25 * Math.abs(size))
})

test('fitAllXy() names no cause of small deviations', () => {
  const fit = finished(fitAllXy(populations({}).map((value, at) => value + 4e-3 * Math.sin(7 * at ** 2))))
  expect(fit.ok && fit.values.cause).toBeUndefined()
  expect(fit.ok && fit.values.rms.value).toBeLessThan(0.01)
})

test('fitAllXy() rejects populations without steps', () => {
  const flat = ALL_XY_PAIRS.map((_, at) => 0.5 + 0.02 * Math.sin(7 * at ** 2))
  expect(finished(fitAllXy(flat))).toMatchObject({ ok: false, code: 'no_signal' })
})
