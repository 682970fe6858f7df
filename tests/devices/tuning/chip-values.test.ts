import { expect, test } from 'bun:test'
import { readDeviceFile } from '../../../src/devices/chip/device-file.ts'
import { chipValuesOf } from '../../../src/devices/tuning/chip-values.ts'

const FILE = `
q0:
  element_type: {path: svc.CalibratedTransmon, args: [q0], kwargs: {}}
  rxy: {amp180: 0.5}
  clock_freqs: {f01: 4.5e9, f12: .nan}
q1:
  element_type: {path: svc.BasicTransmonElement, args: [q1], kwargs: {}}
  rxy: {amp180: 0.4, beta: 1.0e-10}
q0_q1:
  element_type: {path: svc.CompositeSquareEdge, args: [q0, q1], kwargs: {}}
  bias: {source: spi}
`

test('chipValuesOf() knows values, what was never measured and the submodules of each class', () => {
  const file = readDeviceFile(FILE)
  if ('problems' in file) throw new Error(file.problems.join('\n'))
  const chip = chipValuesOf(file.chip)
  expect(chip.edges).toEqual([{ name: 'q0_q1', parent: 'q0', child: 'q1' }])
  expect(chip.value('q0', 'clock_freqs.f01')).toBe(4.5e9)
  expect(chip.value('q0', 'clock_freqs.f12')).toBeUndefined()
  expect(chip.value('q0', 'no.such')).toBeUndefined()
  expect(chip.value('q9', 'rxy.amp180')).toBeUndefined()
  expect(chip.value('q1', 'rxy.beta')).toBe(1e-10)
  expect([chip.value('q0', 'rxy.motzoi'), chip.value('q1', 'rxy.motzoi')]).toEqual([0, undefined])
  const has = (name: string, ...paths: string[]) => paths.map((path) => chip.has(name, path))
  expect(has('q0', 'r12', 'measure_2state', 'measure_3state')).toEqual([true, true, true])
  expect(has('q1', 'r12', 'measure_2state', 'measure_3state')).toEqual([false, false, false])
  expect(has('q0_q1', 'bias', 'cz', 'clock_freqs.cz')).toEqual([true, true, false])
})
