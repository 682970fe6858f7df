import { describe, expect, test } from 'bun:test'
import { createLog, type Log, type LogFields } from '../../src/base/index.ts'
import { until } from '../support/until.ts'

const TOKEN = `svc_dt_${'0a'.repeat(32)}`
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJpZCI6Im1lIn0.c2lnbmF0dXJl'

/** A log that collects its lines. */
function openCase(level: 'debug' | 'info' | 'warn' | 'error' = 'debug') {
  const lines: string[] = []
  const log = createLog({ level, write: (line) => lines.push(line), now: () => Date.UTC(2026, 0, 31, 9, 5) })
  const last = (): LogFields => JSON.parse(lines.at(-1) ?? '{}')
  return { lines, log, last }
}

describe('createLog()', () => {
  test('writes time, level, subject and message, then the fields, as one line of JSON', () => {
    const { log, lines } = openCase()
    log.child('jobs').child('dispatch').info('job sent', { job: 'a1', attempt: 2 })
    expect(lines).toEqual([
      '{"time":"2026-01-31T09:05:00.000Z","level":"info","subject":"jobs.dispatch","message":"job sent","job":"a1","attempt":2}',
    ])
  })

  test('omits lines below its level', () => {
    const { log, lines } = openCase('warn')
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level](level)
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(['warn', 'error'])
  })

  test.each([
    'token',
    'access_token',
    'apiKey',
    'api_key',
    'password',
    'passwordHash',
    'clientSecret',
    'Authorization',
    'payload',
    'circuit',
  ])('hides the field %s, also inside of others', (name) => {
    const { log, lines } = openCase()
    log.info('message', { [name]: 'plain words', nested: [{ [name]: 'plain words' }] })
    expect(lines[0]).not.toContain('plain words')
    expect(lines[0]).toContain('[redacted]')
  })

  test('redacts tokens everywhere: in the message, in a field, in an error and in its cause', () => {
    const { log, lines } = openCase()
    const error = new Error(`refused ${TOKEN}`, { cause: new Error(`saw ${JWT}`) })
    log.error(`with ${TOKEN}`, { url: `http://x/?t=${TOKEN}`, list: [JWT], deep: { of: { it: JWT } }, error })
    expect(lines[0]).not.toContain(TOKEN)
    expect(lines[0]).not.toContain(JWT)
    expect(lines[0]).toContain('caused by Error: saw [redacted]')
  })

  test('writes an error with its stack', () => {
    const { log, last } = openCase()
    log.error('loop run failed', { error: new TypeError('it broke') })
    expect(String(last()['error'])).toMatch(/^TypeError: it broke\n +at .*log\.test\.ts/)
  })

  test('keeps its own four fields when another field has the name of one', () => {
    const { log, last } = openCase()
    log.info('from a device', { level: 'error', message: 'forged', time: 0, subject: 'server', other: 1 })
    expect(last()).toMatchObject({ level: 'info', message: 'from a device', subject: '', other: 1 })
  })

  test('writes values that JSON does not have', () => {
    const { log, last } = openCase()
    const circle: { of?: unknown } = {}
    circle.of = circle
    log.info('odd', { circle, big: 10n, none: undefined, nothing: null })
    expect(last()).toMatchObject({ big: '10', nothing: null, circle: { of: { of: { of: { of: '[…]' } } } } })
  })
})

describe('the readable form', () => {
  /** Runs `call` with a log whose standard error is a terminal, and returns what appears there. */
  async function shownOnTerminal(
    call: (log: Log) => void,
    env: Record<string, string> = {},
  ): Promise<string> {
    let text = ''
    const face = import.meta.resolve('../../src/base/index.ts')
    const child = Bun.spawn(
      [process.execPath, '-e', `import { createLog } from '${face}'; (${call})(createLog())`],
      {
        env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color', ...env },
        terminal: {
          data(_, bytes) {
            text += Buffer.from(bytes).toString()
          },
        },
      },
    )
    await child.exited
    return until('the line to appear', () => text.endsWith('\n') && text)
  }

  test('is one line each with a sign, the time of day, subject, message and fields', () => {
    const lines: string[] = []
    const log = createLog({ format: 'pretty', level: 'debug', write: (line) => lines.push(line) })
    log.child('jobs').warn('job lost', { job: 'a1', no: undefined, held: ['b.1'], token: 'x' })
    for (const level of ['debug', 'info', 'error'] as const) log[level]('the file `_a_`')
    expect(lines).toHaveLength(4)
    expect(lines[0]).toMatch(/^⚠ \d\d:\d\d:\d\d jobs: job lost job=a1 held=\["b\.1"\] token=\[redacted\]$/)
    for (const [at, sign] of ['⚙', 'ℹ', '✖'].entries()) {
      expect(lines[at + 1]).toMatch(new RegExp(`^${sign} \\d\\d:\\d\\d:\\d\\d the file \`_a_\`$`))
    }
  })

  test('is used on a terminal, with a colored sign unless NO_COLOR is set', async () => {
    const call = (log: Log) => log.warn('job lost')
    const colored = await shownOnTerminal(call)
    expect(colored.replaceAll('\x1b', 'ESC')).toMatch(/^ESC\[33m⚠ESC\[39m \S+ job lost\r\n$/)
    expect(await shownOnTerminal(call, { NO_COLOR: '1' })).toMatch(/^⚠ \S+ job lost\r\n$/)
  })
})

test('createLog() calls a function for the lowest level at each line', () => {
  const lines: string[] = []
  let level: 'warn' | 'debug' = 'warn'
  const log = createLog({ level: () => level, write: (line) => lines.push(line) })
  log.child('jobs').info('too early')
  level = 'debug'
  log.child('jobs').info('now')
  expect(lines.map((line) => JSON.parse(line).message)).toEqual(['now'])
})
