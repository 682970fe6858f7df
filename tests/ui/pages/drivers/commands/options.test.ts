import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { describeDevices } from '../../../../../src/devices/index.ts'
import type { DeviceOption } from '../../../../../ui/api/model/equipment/drivers.ts'
import {
  argumentsOf,
  controlOf,
  formOptions,
  groupOptions,
  parseLines,
  problemOf,
} from '../../../../../ui/pages/drivers/commands/options.ts'

const option = (more: Partial<DeviceOption>): DeviceOption => ({
  key: 'value',
  source: 'option',
  label: 'Value',
  group: '',
  unit: null,
  form: 'text',
  choices: [],
  required: false,
  default: null,
  example: null,
  help: 'Help',
  secret: false,
  ...more,
})

test.each([
  [{ form: 'boolean' }, 'check'],
  [{ form: 'choice', choices: ['a'] }, 'select'],
  [{ form: 'n' }, 'number'],
  [{ form: 'seconds' }, 'number'],
  [{ form: 'url' }, 'text'],
  [{ form: 'path' }, 'text'],
  [{ form: 'text' }, 'text'],
  [{ form: 'text,…' }, 'long'],
  [{ form: 'text', example: 'mapper.bf.tmc:K,mapper.bf.pmc:mbar' }, 'long'],
  [{ form: 'text', secret: true }, 'secret'],
] as const)('controlOf(%p) is %p', (more, control) => {
  expect(controlOf(option(more as Partial<DeviceOption>))).toBe(control)
})

test('formOptions() begins with required options and leaves out what the commands set', () => {
  const shown = formOptions([
    option({ key: 'seed' }),
    option({ key: 'channels', required: true }),
    option({ key: 'data_dir' }),
  ])
  expect(shown.map(({ key }) => key)).toEqual(['channels', 'seed'])
})

test('groupOptions() collects the options of a heading in their order', () => {
  const [a, b, c] = [
    option({ key: 'a', group: 'Files' }),
    option({ key: 'b' }),
    option({ key: 'c', group: 'Files' }),
  ]
  expect(groupOptions([a, b, c])).toEqual([
    ['Files', [a, c]],
    ['', [b]],
  ])
})

describe('problemOf()', () => {
  test.each([
    [{ form: 'n' }, '3'],
    [{ form: 'n' }, '-1e3'],
    [{ form: 'n' }, ''],
    [{ form: 'seconds' }, '0.5'],
    [{ form: 'url' }, 'http://10.0.0.1:49099'],
    [{ form: 'boolean' }, 'true'],
    [{ form: 'choice', choices: ['a', 'b'] }, 'b'],
    [{ form: 'path' }, './x.yml'],
    [{ required: true, secret: true }, ''],
  ] as const)('accepts %p with %p', (more, value) => {
    expect(problemOf(option(more as Partial<DeviceOption>), value)).toBeUndefined()
  })
  test.each([
    [{ required: true }, '  ', 'This option is required.'],
    [{ form: 'n' }, 'three', 'Enter a number.'],
    [{ form: 'seconds' }, '5 s', 'Enter a number.'],
    [{ form: 'url' }, '10.0.0.1', 'Enter an http or https address.'],
    [{ form: 'choice', choices: ['a', 'b'] }, 'c', 'Choose one of a, b.'],
    [{ form: 'boolean' }, 'maybe', 'Choose yes or no.'],
    [{}, 'a\nb', 'Write it on one line.'],
  ] as const)('refuses %p with %p', (more, value, message) => {
    expect(problemOf(option(more as Partial<DeviceOption>), value)).toBe(message)
  })
})

test('argumentsOf() passes on what differs from the defaults, and only names secrets', () => {
  const options = [
    option({ key: 'poll_interval', form: 'seconds', default: '5' }),
    option({ key: 'timeout', form: 'seconds', default: '5' }),
    option({ key: 'channels', required: true }),
    option({ key: 'api_key', secret: true }),
    option({ key: 'CA_FILE', source: 'environment' }),
  ]
  const values = { poll_interval: '5', timeout: ' 2 ', channels: 'a:K', api_key: 'yes', CA_FILE: '/x.pem' }
  expect(argumentsOf(options, values)).toEqual({
    options: [
      { key: 'channels', value: 'a:K' },
      { key: 'timeout', value: '2' },
    ],
    secrets: ['api_key'],
    variables: [{ key: 'CA_FILE', value: '/x.pem' }],
  })
})

test('every option of every built-in device has a control, and its default is accepted', async () => {
  for (const { options } of await describeDevices()) {
    for (const one of options as unknown as DeviceOption[]) {
      expect(controlOf(one)).toBeString()
      expect([one.key, problemOf({ ...one, required: false }, one.default ?? '')]).toEqual([
        one.key,
        undefined,
      ])
    }
  }
})

test('parseLines() reads the options of other devices', () => {
  expect(parseLines('a=1\n\n b = x=y ')).toEqual({
    options: [
      { key: 'a', value: '1' },
      { key: 'b', value: 'x=y' },
    ],
  })
  expect(parseLines('a=1\nnothing').problem).toBe('Not key=value: nothing')
})

test('parseLines() reads whatever it is given without an error', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseLines(text)))
})
