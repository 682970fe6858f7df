import { describe, expect, test } from 'bun:test'
import { AppError, flagOf, parseDuration, variableOf } from '../../../src/base/index.ts'
import { readConfig, SETTINGS } from '../../../src/server/index.ts'

const MIN = 60_000
const HOUR = 60 * MIN

/** The tables of section 8: config key, default; then another value, as text and as parsed. */
const TABLE: [key: string, standard: unknown, text: string, value: unknown][] = [
  ['configFile', 'svc.config.yml', 'my.json', 'my.json'],
  ['domain', '', 'qpus.example.org', 'qpus.example.org'],
  ['ipAddr', '127.0.0.1', '10.0.0.5', '10.0.0.5'],
  ['serverPort', 8090, '80', 80],
  ['tlsCaCertFile', '.svc.ca.pem', 'a.pem', 'a.pem'],
  ['tlsCaKeyFile', '.svc.ca.key', 'a.key', 'a.key'],
  ['tlsCertFile', '.svc.cert.pem', 'b.pem', 'b.pem'],
  ['tlsKeyFile', '.svc.key', 'b.key', 'b.key'],
  ['qpusCollection', 'qpus', 'chips', 'chips'],
  ['timeslotsCollection', 'time_slots', 'slots', 'slots'],
  ['jobsCollection', 'quantum_jobs', 'work', 'work'],
  ['apiTokensCollection', 'api_tokens', 'keys', 'keys'],
  ['notificationsCollection', 'notifications', 'news', 'news'],
  ['qpuTimeRequestsCollection', 'qpu_time_requests', 'wishes', 'wishes'],
  ['idleThreshold', 5_000, '90s', 90_000],
  ['recoveryInterval', 10_000, '1m', MIN],
  ['jobTimeout', 20_000, '30m', 30 * MIN],
  ['dispatchPollInterval', 1_000, '250ms', 250],
  ['portRangeStart', 6_000, '5000', 5_000],
  ['portRangeEnd', 7_000, '9000', 9_000],
  ['disableEmailPasswordAuth', false, 'true', true],
  ['oauth2Providers', [], '[]', []],
  ['eventsRetention', 720 * HOUR, '0', 0],
  ['eventsPruneInterval', HOUR, '30m', 30 * MIN],
  ['eventRateLimit', 100, '0', 0],
  ['calibrationRequestRetention', 720 * HOUR, '24h', 24 * HOUR],
  ['calibrationResultRetention', 0, '24h', 24 * HOUR],
  ['calibrationFitRetention', 720 * HOUR, '24h', 24 * HOUR],
]

const read = (input: Partial<Parameters<typeof readConfig>[0]>) =>
  readConfig({ flags: {}, env: {}, ...input })
const yaml = (text: string) => ({ file: { path: 'svc.config.yml', text } })
const settingOf = (config: object, key: string): unknown => Reflect.get(config, key)

function refusalOf(input: Partial<Parameters<typeof readConfig>[0]>): AppError {
  try {
    read(input)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('accepted')
}

describe('the settings of section 8', () => {
  for (const [key, standard, text, value] of TABLE) {
    test(`${key} has a flag, a variable and a key`, () => {
      expect(Object.hasOwn(SETTINGS, key)).toBe(true)
      const words = key.split(/(?=[A-Z])/)
      const variable = `SVC_${words.join('_').toUpperCase()}`
      expect([flagOf(key), variableOf(key)]).toEqual([`--${words.join('-').toLowerCase()}`, variable])
      expect(settingOf(read({}).config, key)).toEqual(standard)
      const sources = {
        flag: { flags: { [key]: text } },
        environment: { env: { [variable]: text } },
        file: yaml(`${key}: ${JSON.stringify(text)}\n`),
      }
      for (const [source, input] of Object.entries(sources)) {
        const result = read(input)
        expect([source, settingOf(result.config, key), settingOf(result.sources, key)]).toEqual([
          source,
          value,
          source,
        ])
      }
    })
  }
})

test('a flag takes precedence over a variable, a variable over the file, the file over the default', () => {
  const flags = { serverPort: '1' }
  const env = { SVC_SERVER_PORT: '2' }
  const file = yaml('serverPort: 3')
  const ports = [{ flags, env, ...file }, { env, ...file }, file, {}].map(
    (input) => read(input).config.serverPort,
  )
  expect(ports).toEqual([1, 2, 3, 8090])
})

test('the config file may be YAML or JSON, with plain numbers and switches', () => {
  const settings = { serverPort: 81, disableEmailPasswordAuth: true, idleThreshold: '7s', eventsRetention: 0 }
  const texts = [
    JSON.stringify(settings),
    JSON.stringify(settings, null, 2),
    'serverPort: 81\ndisableEmailPasswordAuth: true\nidleThreshold: 7s\neventsRetention: 0\n',
  ]
  for (const text of texts) {
    expect(read(yaml(text)).config).toMatchObject({
      serverPort: 81,
      disableEmailPasswordAuth: true,
      idleThreshold: 7_000,
      eventsRetention: 0,
    })
  }
  expect(read(yaml('')).config.serverPort).toBe(8090)
  expect(read(yaml('# nothing but a comment\n')).config.serverPort).toBe(8090)
})

test('a bare switch means true; other words for true and false are accepted', () => {
  const value = (given: string | boolean) =>
    read({ flags: { disableEmailPasswordAuth: given } }).config.disableEmailPasswordAuth
  expect([true, 'true', '1', 'yes', 'on', 'TRUE'].map(value)).toEqual(Array(6).fill(true))
  expect([false, 'false', '0', 'no', 'off'].map(value)).toEqual(Array(5).fill(false))
})

test('OAuth2 providers may be a list in the file', () => {
  const { config } = read(yaml('oauth2Providers:\n  - name: google\n    clientId: a\n'))
  expect(config.oauth2Providers).toMatchObject([{ name: 'google', clientId: 'a' }])
})

test('invalid values are reported with their source, the value and the accepted values', () => {
  const flags: [string, string, string][] = [
    ['serverPort', '65536', '--server-port: bad value "65536"; expected a whole number from 0 to 65535'],
    ['serverPort', '', '--server-port: bad value ""'],
    ['serverPort', '8e3', '--server-port: bad value "8e3"'],
    ['idleThreshold', '5', '--idle-threshold: bad value "5"; expected a duration such as 720h'],
    ['idleThreshold', '-5s', '--idle-threshold: bad value "-5s"'],
    ['jobTimeout', '0', '--job-timeout: bad value "0"; expected at least 100ms'],
    ['ipAddr', 'localhost', '--ip-addr: bad value "localhost"; expected an IPv4 or IPv6 address'],
    ['ipAddr', '300.0.0.1', '--ip-addr: bad value "300.0.0.1"'],
    [
      'qpusCollection',
      'Q; DROP TABLE',
      '--qpus-collection: bad value "Q; DROP TABLE"; expected a lower-case name',
    ],
    ['jobsVisibility', 'all', '--jobs-visibility: bad value "all"; expected one of public, owner'],
    ['anonymousRate', '20', '--anonymous-rate: bad value "20"; expected requests per second and burst'],
    [
      'disableEmailPasswordAuth',
      'maybe',
      '--disable-email-password-auth: bad value "maybe"; expected true or false',
    ],
    [
      'portRangeStart',
      '7000',
      '--port-range-end: bad value 7000; expected more than --port-range-start (7000)',
    ],
    ['oauth2Providers', '{}', '--oauth2-providers: bad value; expected a JSON array'],
    ['oauth2Providers', '[', '--oauth2-providers: bad value; expected a JSON array'],
    ['smtpHost', 'mail.example.org', '--smtp-from: missing'],
    ['database', 'mysql://svc@localhost/svc', '--database: bad value; expected an address'],
    ['database', 'postgres://svc@localhost:1x/svc', '--database: bad value; expected host'],
    ['database', 'postgres://svc@north,south/svc', 'with one host'],
    [
      'database',
      'postgres://svc@db.example.org/svc',
      '--database-root-cert: missing; the connection to db.example.org is encrypted',
    ],
    ['smtpFrom', 'nobody', '--smtp-from: bad value "nobody"; expected an e-mail address'],
    ['publicUrl', 'svc.example.org', '--public-url: bad value "svc.example.org"; expected an'],
    ['jobsCollection', 'qpus', '--jobs-collection: bad value qpus; --qpus-collection has the same name'],
  ]
  const cases: [Partial<Parameters<typeof readConfig>[0]>, string][] = [
    ...flags.map(([key, text, message]): [object, string] => [{ flags: { [key]: text } }, message]),
    [{ env: { SVC_SERVER_PORT: 'http' } }, 'SVC_SERVER_PORT: bad value "http"; expected a whole number'],
    [yaml('serverPort: -1'), 'svc.config.yml, line 1: serverPort: bad value -1; expected a whole number'],
    [
      { flags: { database: 'postgres://svc@localhost/svc', checkpoints: 'external' } },
      '--checkpoints: not with --database',
    ],
    [
      { flags: { database: 'postgres://svc@localhost/svc', backupEvery: '24h' } },
      '--backup-every: not with --database; back PostgreSQL up with pg_dump',
    ],
    [yaml('- a\n- b\n'), 'svc.config.yml: expected keys with values'],
    [yaml('just text'), 'svc.config.yml: expected keys with values'],
    [yaml('serverPort: [1\n'), 'svc.config.yml: not readable as YAML or JSON'],
    [
      yaml('domain: a\nportRangeStart: 7000\n'),
      '--port-range-end: bad value 7000; expected more than svc.config.yml, line 2: portRangeStart (7000)',
    ],
    [
      yaml('# names\njobsCollection: qpus\n'),
      'svc.config.yml, line 2: jobsCollection: bad value qpus; --qpus-collection has the same name',
    ],
    [
      yaml('{"domain": "a",\n "jobTimeout":\n "soon"}'),
      'svc.config.yml, line 2: jobTimeout: bad value "soon"; expected a duration such as 720h, 30m or 90s',
    ],
    [yaml('serverPort: 1\nserverPort: 2\n'), 'svc.config.yml: not readable as YAML or JSON'],
    [yaml('serverPort: {a: 1}'), 'svc.config.yml, line 1: serverPort: bad value {"a":1}'],
    [yaml('serverPort:\n'), 'svc.config.yml, line 1: serverPort: bad value null'],
  ]
  for (const [input, message] of cases) {
    const refusal = refusalOf(input)
    expect(refusal.message).toContain(message)
    expect([refusal.code, refusal.reason]).toEqual(['invalid', 'bad_config'])
  }
})

test('a password in the address of a database is refused and not repeated', () => {
  const { message } = refusalOf({ flags: { database: 'postgres://svc:s3cret@localhost/svc' } })
  expect(message).toContain('without a password')
  expect(message).not.toContain('s3cret')
})

test('an unknown key in the file is refused with its line', () => {
  expect(refusalOf(yaml('# serverprt is wrong\nserverPort: 1\nserverprt: 2\n')).message).toBe(
    'svc.config.yml, line 3: unknown key serverprt; did you mean serverPort?',
  )
  expect(refusalOf(yaml('{"serverPort": 1,\n "server_port": 2}')).message).toContain(
    'line 2: unknown key server_port',
  )
  expect(refusalOf(yaml('domain: "no toString here"\ntoString: 1\n')).message).toContain(
    'line 2: unknown key toString',
  )
  expect(refusalOf(yaml('__proto__: 1\n')).message).toContain('line 1: unknown key __proto__')
})

test('every setting has a help text, a default that it accepts, and a unique name', () => {
  const names = Object.keys(SETTINGS)
  expect(new Set(names.map((name) => flagOf(name))).size).toBe(names.length)
  for (const [name, { help, kind, default: standard }] of Object.entries(SETTINGS)) {
    expect([name, help.length > 5, /[.]$/.test(help)]).toEqual([name, true, false])
    expect(Object.isFrozen(read({}).config)).toBe(true)
    expect([name, typeof kind.hint]).toEqual([name, 'string'])
    expect([name, standard]).not.toContain(undefined)
  }
})

test('durations with a unit are read as the specification writes them', () => {
  expect(['720h', '30m', '90s', '0'].map(parseDuration)).toEqual([720 * HOUR, 30 * MIN, 90_000, 0])
})
