import { expect, test } from 'bun:test'
import { parsePauliSum } from '../../../src/cli/client/pauli-sum.ts'

test('parsePauliSum() reads terms with factors and signs', () => {
  expect(parsePauliSum('ZZ')).toEqual({ ZZ: 1 })
  expect(parsePauliSum(' 0.5 ZZ - XI + 2e-3*IY')).toEqual({ ZZ: 0.5, XI: -1, IY: 0.002 })
  expect(parsePauliSum('-Z+Z')).toEqual({ Z: 0 })
})

test('parsePauliSum() refuses what is no sum', () => {
  for (const text of ['', '0.5', 'ZQ', 'Z Z', 'Z + ', '1 2 Z', 'zz'])
    expect(() => parsePauliSum(text)).toThrow(`--expectation ${text}: expected a sum`)
})
