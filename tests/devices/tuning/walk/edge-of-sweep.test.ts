import { describe, expect, test } from 'bun:test'
import { lineTrace } from '../../../../src/devices/fitting/trace.ts'
import { defineRoutine, RoutineError } from '../../../../src/devices/tuning/routine.ts'
import { czChevron } from '../../../../src/devices/tuning/routines/edge/cz_chevron.ts'
import { gatePair } from '../../../support/tuning/gate-pair.ts'
import { setUp } from '../../../support/tuning/scripted-walk.ts'

const HALF = 5e6
const CENTER = 5e9

/** Looks for a line at a frequency, and fails when its best point is at an end of the sweep. */
function lookingFor(line: number, swept: number[]) {
  return defineRoutine({
    name: 'look',
    kind: 'qubit',
    writes: ['a'],
    axes: { frequency: { unit: 'Hz', min: 0, max: 1e12 } },
    size: { points: 1, shots: 1 },
    *measure(context) {
      const { values } = context.axis('frequency', { start: CENTER - HALF, stop: CENTER + HALF, points: 21 })
      swept.push(((values[0] ?? 0) + (values.at(-1) ?? 0)) / 2 - CENTER)
      const heights = values.map((each) => 1 / (1 + ((each - line) / 1e6) ** 2))
      const best = heights.indexOf(Math.max(...heights))
      const trace = lineTrace({
        model: 'lorentzian',
        x: { name: 'frequency', unit: 'Hz', values },
        y: { name: 'P1', unit: '', values: heights },
      })
      if (best < 2 || best > values.length - 3)
        throw new RoutineError('edge_of_sweep', 'the line is at the end', { trace })
      return { parameters: { a: { value: values[best] ?? 0 } } }
    },
  })
}

describe('a sweep whose best point is at its end', () => {
  test.each([
    ['inside', 2e6, [0]],
    ['above', 7e6, [0, HALF]],
    ['below', -8e6, [0, -HALF]],
    ['twice above', 12e6, [0, HALF, 2 * HALF]],
  ])('is repeated around it, at most twice: the line is %s', async (_, offset, centers) => {
    const swept: number[] = []
    const { run } = setUp([lookingFor(CENTER + offset, swept)], { plan: { qubits: ['q0'] } })
    const [result] = (await run()).results
    expect([result?.outcome.error, swept]).toEqual([undefined, centers])
  })

  test('is not repeated a third time', async () => {
    const swept: number[] = []
    const { run } = setUp([lookingFor(CENTER + 60e6, swept)], {
      ...{ plan: { qubits: ['q0'] }, runner: { maxAttempts: 5 } },
    })
    const [result] = (await run()).results
    expect(result?.outcome.error?.code).toBe('edge_of_sweep')
    expect(swept).toEqual([0, HALF, 2 * HALF, 0, 0])
  })

  test('finds a gate whose resonance lies beyond the chevron', async () => {
    const { pair } = gatePair({ hand: 1, seed: 3, detuning: 6e6 })
    const before = pair.values.number(pair.edge, 'clock_freqs.cz') ?? Number.NaN
    const { error, attempts } = await pair.measure(czChevron)
    const after = pair.values.number(pair.edge, 'clock_freqs.cz') ?? Number.NaN
    expect([error, attempts]).toEqual([undefined, 2])
    expect(Math.abs(before - after - 6e6)).toBeLessThan(0.3e6)
  }, 60_000)
})
