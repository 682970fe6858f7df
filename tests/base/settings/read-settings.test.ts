import { expect, test } from 'bun:test'
import {
  describeProblem,
  flag,
  flagOf,
  group,
  kinds,
  readSettings,
  repeatableFlag,
  requiredSetting,
  setting,
  switchFlag,
  variableOf,
} from '../../../src/base/index.ts'

const TABLE = {
  ...group('Network', {
    serverPort: setting(kinds.integer({ min: 1, max: 9 }), '8', 'Port'),
    svcAddr: setting(kinds.text('url'), 'http://a', 'Address', { variable: 'SVC_ADDR', short: 'a' }),
  }),
  ...group('Access', {
    token: requiredSetting(kinds.secret(kinds.integer()), 'Access token'),
    color: flag(kinds.choice(['red', 'blue']), 'Color'),
    option: repeatableFlag(kinds.integer(), 'Option', { short: 'o' }),
    loud: switchFlag(kinds.bool(), 'Loud'),
  }),
}

test('a setting has its group, flag, variable and default text from its declaration', () => {
  expect(TABLE.serverPort).toMatchObject({ group: 'Network', default: 8, defaultText: '8', help: 'Port' })
  expect(flagOf('serverPort')).toBe('--server-port')
  expect(variableOf('serverPort', TABLE.serverPort)).toBe('SVC_SERVER_PORT')
  expect(variableOf('svcAddr', TABLE.svcAddr)).toBe('SVC_ADDR')
  expect(variableOf('color', TABLE.color)).toBe('')
})

test('a flag takes precedence over a variable, a variable over the file, the file over the default', () => {
  const file = new Map([['serverPort', { value: 3, place: 'line 1: serverPort' }]])
  const flags = { token: '1', serverPort: '1' }
  const env = { SVC_SERVER_PORT: '2' }
  const inputs = [
    { flags, env, file },
    { flags: { token: '1' }, env, file },
    { flags: { token: '1' }, env: {}, file },
    { flags: { token: '1' }, env: {} },
  ]
  const read = inputs.map((input) => readSettings(TABLE, input))
  expect(read.map(({ values, sources }) => [values.serverPort, sources.serverPort])).toEqual([
    [1, 'flag'],
    [2, 'environment'],
    [3, 'file'],
    [8, 'default'],
  ])
  expect(read.map(({ places }) => places.serverPort)).toEqual([
    '--server-port',
    'SVC_SERVER_PORT',
    'line 1: serverPort',
    '--server-port',
  ])
})

test('flags without default are undefined, repeatable ones a list, switches false', () => {
  const { values } = readSettings(TABLE, { flags: { token: '1' }, env: {} })
  expect([values.color, values.option, values.loud]).toEqual([undefined, [], false])
  const given = { token: '1', color: 'red', option: ['1', '2'], loud: true }
  expect(readSettings(TABLE, { flags: given, env: {} }).values).toMatchObject({
    color: 'red',
    option: [1, 2],
    loud: true,
  })
})

test('an empty variable counts as unset, an empty flag does not', () => {
  const file = new Map([['serverPort', { value: 3, place: 'line 1: serverPort' }]])
  const flags = { token: '1' }
  const { values, sources, problems } = readSettings(TABLE, { flags, env: { SVC_SERVER_PORT: '' }, file })
  expect([values.serverPort, sources.serverPort, problems]).toEqual([3, 'file', []])
  expect(readSettings(TABLE, { flags, env: { SVC_SERVER_PORT: '' } }).values.serverPort).toBe(8)
  expect(readSettings(TABLE, { flags: { ...flags, serverPort: '' }, env: {} }).problems).toHaveLength(1)
})

test('a variable without a setting has no effect', () => {
  const { values } = readSettings(TABLE, { flags: { token: '1' }, env: { SVC_COLOR: 'red', '': 'red' } })
  expect(values.color).toBeUndefined()
})

test('every problem is reported in the order of the table, secrets without their value', () => {
  const { problems } = readSettings(TABLE, {
    flags: { color: 'pink', serverPort: '10', token: 'hunter2' },
    env: {},
  })
  expect(problems.map(describeProblem)).toEqual([
    '--server-port: bad value "10"; expected a whole number from 1 to 9',
    '--token: bad value; expected a whole number',
    '--color: bad value "pink"; expected one of red, blue',
  ])
})

test.each([[{}], [{ SVC_TOKEN: '' }]])('a required setting is missing with %j', (env) => {
  const { problems } = readSettings(TABLE, { flags: {}, env })
  expect(problems).toMatchObject([{ name: 'token', isMissing: true, reason: 'Access token' }])
})
