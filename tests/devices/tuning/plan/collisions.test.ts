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
