import { expect, test } from 'bun:test'
import { checkImport } from '../../../scripts/source-checks/imports.ts'

const rulesOf = (file: string, specifier: string) =>
  checkImport(file, { specifier, line: 1 }).map(({ rule }) => rule)

test('the simulated chip and what measures it do not import each other', () => {
  const chip = 'src/devices/bench/simulated/chip.ts'
  expect(rulesOf(chip, '../../fitting/models/cosine.ts')).toContain('separation')
  expect(rulesOf(chip, '../../tuning/graph.ts')).toContain('separation')
  expect(rulesOf('src/devices/tuning/routines/one/t1.ts', '../../../bench/simulated/chip.ts')).toContain(
    'separation',
  )
  expect(rulesOf('src/devices/fitting/fit.ts', '../bench/simulated/chip.ts')).toContain('separation')
})

test('the contract, the other instruments and tests stay free', () => {
  expect(rulesOf('src/devices/tuning/walk.ts', '../bench/instrument.ts')).toEqual([])
  expect(rulesOf('src/devices/bench/simulated/chip.ts', '../instrument.ts')).toEqual([])
  expect(
    rulesOf('tests/devices/tuning/walk.test.ts', '../../../src/devices/bench/simulated/chip.ts'),
  ).toEqual([])
})
