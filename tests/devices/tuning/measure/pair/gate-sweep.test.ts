import { expect, test } from 'bun:test'
import { gateFrequencies } from '../../../../../src/devices/tuning/measure/pair/gate-sweep.ts'
import type { RoutineContext } from '../../../../../src/devices/tuning/routine.ts'

const context = {
  axis: (_: string, { start, stop, points }: { start: number; stop: number; points: number }) => ({
    values: Float64Array.from({ length: points }, (__, at) => start + ((stop - start) * at) / (points - 1)),
  }),
} as unknown as RoutineContext

test('the tone of a gate between close levels is swept from the slowest that is one', () => {
  const swept = (center: number) => gateFrequencies(context, { center, half: 15e6, points: 25 })
  expect([swept(310e6)[0], swept(310e6)[24]]).toEqual([295e6, 325e6])
  expect([swept(9.5e6)[0], swept(9.5e6)[24]]).toEqual([5e6, 24.5e6])
  expect(() => swept(-11e6)).toThrow(
    'the gate cannot be played: its tone is up to 4.0 MHz, and slower than 5.0 MHz it completes no period',
  )
})
