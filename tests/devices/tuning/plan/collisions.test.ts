import { expect, test } from 'bun:test'
import { collisionsOf } from '../../../../src/devices/tuning/plan/collisions.ts'
import { lineChip } from '../../../support/tuning/scripted.ts'

const F = { 'clock_freqs.f01': 4.42e9, 'clock_freqs.f12': 4.2e9 }

test.each([
  ['far apart', 4.95e9, 4.73e9, []],
  ['the same', 4.4204e9, 4.2e9, ['f01 of q0 and f01 of q1 are 0.4 MHz apart, less than 10 MHz true']],
  ['near', 4.425e9, 4.1e9, ['f01 of q0 and f01 of q1 are 5 MHz apart, less than 10 MHz false']],
  ['a straddled one', 4.641e9, 4.421e9, ['f01 of q0 and f12 of q1 are 1 MHz apart, less than 10 MHz true']],
  ['without values', undefined, undefined, []],
])('collisionsOf() names coupled qubits with %s frequencies', (_, f01, f12, expected) => {
  const chip = lineChip(2, { q0: F, q1: { 'clock_freqs.f01': f01, 'clock_freqs.f12': f12 } })
  const found = collisionsOf(chip, (element, path) => chip.value(element, path) as number | undefined)
  expect(found.map(({ text, isCertain }) => `${text} ${isCertain}`)).toEqual(expected)
})

test('collisionsOf() names qubits beside a third one only when they are the same, and fails none', () => {
  const found = (f01: number) =>
    collisionsOf(lineChip(3, { q0: F, q2: { 'clock_freqs.f01': f01 } }), (element, path) =>
      Number(
        ({ q0: F, q2: { 'clock_freqs.f01': f01 } } as Record<string, Record<string, number>>)[element]?.[
          path
        ],
      ),
    )
  expect(found(4.425e9)).toEqual([])
  expect(found(4.4204e9).map(({ text, isCertain }) => [text, isCertain])).toEqual([
    ['f01 of q0 and f01 of q2, both beside q1, are 0.4 MHz apart, less than 2 MHz', false],
  ])
})

test('collisionsOf() compares the tone of a gate with what it would exchange with other neighbors', () => {
  const values: Record<string, Record<string, number>> = {
    q0: { 'clock_freqs.f01': 4.42e9, 'clock_freqs.f12': 4.2e9 },
    q1: { 'clock_freqs.f01': 4.95e9, 'clock_freqs.f12': 4.73e9 },
    q2: { 'clock_freqs.f01': 4.417e9, 'clock_freqs.f12': 4.19e9 },
    q0_q1: { 'clock_freqs.cz': 310e6 },
    q1_q2: { 'clock_freqs.cz': 390e6 },
  }
  const found = collisionsOf(lineChip(3), (element, path) => values[element]?.[path])
  expect(found.map(({ text }) => text)).toEqual([
    'the tone of q0_q1 and the exchange of f12 of q1 with f01 of q2 are 3 MHz apart, less than 10 MHz',
  ])
})
