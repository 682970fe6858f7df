import { expect, test } from 'bun:test'
import { describeBytes, formatBytes, parseBytes } from '../../../src/base/settings/bytes.ts'

test('sizes are written for people with one decimal, and exactly for settings', () => {
  const sizes = [0, 1, 1023, 1024, 1536, 10 * 1024 ** 3, 2000 * 1024 ** 4]
  expect(sizes.map(describeBytes)).toEqual([
    ...['0 B', '1 B', '1023 B', '1 KiB', '1.5 KiB', '10 GiB', '2000 TiB'],
  ])
  expect(sizes.map(formatBytes)).toEqual(['0', '1B', '1023B', '1KiB', '1536B', '10GiB', '2000TiB'])
  expect(sizes.map((size) => parseBytes(formatBytes(size)))).toEqual(sizes)
})
