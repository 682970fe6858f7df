import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readChannels } from '../../../../src/devices/monitor/cryostat_gen1/channels.ts'
import { OptionValueError } from '../../../../src/devices/options.ts'

test.each([
  ['mapper.bf.tmc', [{ path: 'mapper.bf.tmc', unit: '' }]],
  [
    ' mapper.bf.tmc : K , p1:mbar',
    [
      { path: 'mapper.bf.tmc', unit: 'K' },
      { path: 'p1', unit: 'mbar' },
    ],
  ],
  ['flow:mmol/s', [{ path: 'flow', unit: 'mmol/s' }]],
  ['T_4K:µK', [{ path: 'T_4K', unit: 'µK' }]],
])('readChannels(%j) reads paths and units', (text, channels) => {
  expect(readChannels(text)).toEqual(channels)
})

test.each([
  ['', 'an item is empty; separate items by single commas'],
  ['a,,b', 'an item is empty; separate items by single commas'],
  ['a,', 'an item is empty; separate items by single commas'],
  ['a:K,b:K,a:mK', 'a is named twice'],
  ['a:', '"a:" has no unit after the colon; leave the colon out for none'],
  [':K', '"" is not the path of a channel; use names of letters, digits and _, joined by dots'],
  // Split at the last colon, so the part before it is not a valid path.
  ['a:b:K', '"a:b" is not the path of a channel; use names of letters, digits and _, joined by dots'],
  ['a..b:K', '"a..b" is not the path of a channel'],
  ['.a', '".a" is not the path of a channel'],
  ['a.', '"a." is not the path of a channel'],
  ['a/b', '"a/b" is not the path of a channel'],
  ['../system', '"../system" is not the path of a channel'],
  ['a b', '"a b" is not the path of a channel'],
  ['tmç', '"tmç" is not the path of a channel'],
  ['x'.repeat(201), 'is not the path of a channel'],
  [`a:${'x'.repeat(21)}`, 'the unit of a is longer than 20 characters'],
])('readChannels(%j) is refused', (text, reason) => {
  expect(() => readChannels(text)).toThrow(OptionValueError)
  expect(() => readChannels(text)).toThrow(reason)
})

test('readChannels() reads any list of valid items', () => {
  const name = fc.stringMatching(/^[A-Za-z0-9_]{1,8}$/)
  const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join('.'))
  const channel = fc.record({ path, unit: fc.constantFrom('', 'K', 'mbar', 'mmol/s', '°C', '%') })
  const channels = fc.uniqueArray(channel, { minLength: 1, selector: (each) => each.path })
  fc.assert(
    fc.property(channels, (all) => {
      const text = all.map((each) => (each.unit ? `${each.path}:${each.unit}` : each.path)).join(',')
      expect(readChannels(text)).toEqual(all)
    }),
  )
})
