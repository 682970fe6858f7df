import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listDevices } from '../../../src/devices/index.ts'
import { startSvc } from '../../support/executable/background-process.ts'
import { type Counter, countConnections } from '../../support/executable/recorder.ts'
import { runSvc } from '../../support/executable/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const PIN = 'ab'.repeat(32)
const folder = temporaryFolder()
let server: Counter

beforeAll(async () => {
  server = await countConnections()
  const devices = `
    import { defineDevice } from 'svc/devices'
    const idle = { start: async () => undefined, calibrate: async () => ({}) }
    export const looseTuner = (context) => idle
    export const broken = defineDevice({
      operation: 'process',
      name: 'broken',
      create() { throw new Error('the cable is not plugged in') },
    })
  `
  writeFileSync(join(folder.path, 'devices.js'), devices)
  writeFileSync(join(folder.path, 'syntax.js'), 'export const = 3')
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

function access(): string[] {
  const address = `http://127.0.0.1:${server.port}`
  return ['--svc-addr', address, '--token', 'svc_dt_secret', '--ca-fingerprint', PIN]
}

/** Runs a driver that must not start; `args` follow the arguments of a good start. */
function start(args: string[]) {
  return runSvc(['driver', 'start', ...access(), ...args], { cwd: folder.path })
}

const mock = ['--operation', 'process', '--device', 'mock']
const MOCK_KEYS =
  'data_dir, fail, fail_every, fail_on, fail_rate, is_dummy, job_timeout, latency, num_qubits, pragmas, ' +
  'readout_error, scheduler_device_config, scheduler_hardware_config, seed'

/** One of each kind: the others are those of `readOptions()`, `resolveDevice()` and `startDriver()`. */
const CASES: [title: string, args: string[], lines: (string | RegExp)[]][] = [
  [
    'an unknown -o key, naming the nearest',
    [...mock, '-o', 'job_timout=3'],
    [
      'unknown option job_timout for process device mock',
      `  did you mean job_timeout? known options: ${MOCK_KEYS}`,
    ],
  ],
  [
    'a calibration config for a device that does not declare it',
    [
      '--operation',
      'calibrate',
      '--device',
      './devices.js#looseTuner',
      '-o',
      'calibration_config=absent.yml',
    ],
    ['startup error: calibration config not found: absent.yml'],
  ],
  [
    'an unknown device',
    ['--operation', 'process', '--device', 'qutoaster'],
    [`unknown process device qutoaster; known devices: ${listDevices('process').join(', ')}`],
  ],
  [
    'an import path without file',
    ['--operation', 'process', '--device', './absent.js#x'],
    [/^device \.\/absent\.js#x cannot be imported: Cannot find module '[^']*\/absent\.js'$/],
  ],
  [
    'an import path to a file that does not parse',
    ['--operation', 'process', '--device', './syntax.js'],
    [/^device \.\/syntax\.js cannot be imported: /],
  ],
  [
    'all of several errors, errors of keys before errors of values',
    [
      ...[...mock, '-o', 'data_dir=/tmp-evil', '-o', 'seed=x', '-o', 'color=red', '-o', 'loud'],
      ...['--ca-file', '/tmp-evil/ca.pem'],
    ],
    [
      'invalid option loud; expected key=value',
      'unknown option color for process device mock',
      /^ {2}known options: /,
      'bad value for -o seed: "x"; expected a whole number of at least 0',
      'bad value for -o data_dir: /tmp-evil is not in a safe location: below /etc/svc-driver, /var/svc-driver, /tmp, /var/tmp or the home folder',
      'bad value for --ca-file: /tmp-evil/ca.pem is not in a safe location: below /etc/svc-driver, /var/svc-driver, /tmp, /var/tmp or the home folder',
    ],
  ],
]

/** Refusals whose reason may pass, such as an instrument that is off: a service manager starts it again. */
const PASSING: typeof CASES = [
  [
    'a device that cannot be created',
    ['--operation', 'process', '--device', './devices.js#broken'],
    [/"message":"device failed to start".*devices\.js/, 'startup error: the cable is not plugged in'],
  ],
  [
    'a built-in device that cannot be created',
    [...mock, '-o', 'fail=init'],
    [/fails on purpose: fail=init$/],
  ],
  ['a data dir that cannot be created', [...mock, '--data-dir', 'occupied/data'], [/cannot be created/]],
]

/** Expects the lines of a refusal, the exit status, and no connection. */
async function expectRefusal(args: string[], lines: readonly (string | RegExp)[], expected: number) {
  const { status, out, err } = await start(args)
  const said = err.replace(/\n$/, '').split('\n')
  expect(said).toHaveLength(lines.length)
  for (const [at, line] of lines.entries()) {
    if (typeof line === 'string') expect(said[at]).toBe(line)
    else expect(said[at]).toMatch(line)
  }
  expect(out).toBe('')
  expect(status).toBe(expected)
  expect(server.connections).toBe(0)
}

test.each(PASSING)('svc driver start ends with 69 before any connection: %s', async (_, args, lines) => {
  writeFileSync(join(folder.path, 'occupied'), '')
  await expectRefusal(args, lines, 69)
})

describe('svc driver start refuses, with status 1 and before any connection:', () => {
  test.each(CASES)('%s', async (_, args, lines) => {
    await expectRefusal(args, lines, 1)
    expect(existsSync('/tmp-evil')).toBe(false)
  })

  test('a missing token and a missing fingerprint, both at once', async () => {
    const { status, err } = await runSvc(
      ['driver', 'start', ...mock, '-a', `http://127.0.0.1:${server.port}`],
      { cwd: folder.path },
    )
    expect(err).toContain('missing required option --token (or SVC_ACCESS_TOKEN)')
    expect(err).toContain('missing required option --ca-fingerprint (or SVC_CA_FINGERPRINT)')
    expect(err.trim().split('\n')).toHaveLength(2)
    expect(status).toBe(1)
    expect(server.connections).toBe(0)
  })

  test.each([
    [
      [],
      [
        'missing required option --operation: Operation that the driver provides, one of process, monitor, calibrate',
        'missing required option --device (or SVC_DEVICE): Built-in or installed device name, ./module.js#export, or module:attr of Python',
      ],
    ],
    [
      ['--operation', 'process'],
      [
        'missing required option --device (or SVC_DEVICE): Built-in or installed device name, ./module.js#export, or module:attr of Python; ' +
          `built-in process devices: ${listDevices('process').join(', ')}`,
      ],
    ],
    [
      ['--operation', 'cook', '--device', 'mock'],
      ['bad value for --operation: "cook"; expected one of process, monitor, calibrate'],
    ],
  ])('missing or wrong operation and device: %p', async (args, lines) => {
    const { status, err } = await start(args)
    expect(err.trim().split('\n')).toEqual(lines)
    expect(status).toBe(1)
    expect(server.connections).toBe(0)
  })

  test('a data dir that another driver uses', async () => {
    const args = [...mock, '--data-dir', join(folder.path, 'shared')]
    // No server listens on the discard port: the first driver has locked the folder and waits for its server.
    const env = { SVC_ADDR: 'http://127.0.0.1:9', SVC_ACCESS_TOKEN: 't', SVC_CA_FINGERPRINT: PIN }
    await using first = startSvc(['driver', 'start', ...args], { cwd: folder.path, env })
    await first.untilLogged('127.0.0.1:9')
    const { status, err } = await start(args)
    expect(err).toContain(`data dir ${join(folder.path, 'shared')} is in use`)
    expect(status).toBe(69)
    expect(server.connections).toBe(0)
  })
})

test('with good options the same driver connects to the server', async () => {
  await using good = startSvc(['driver', 'start', ...access(), ...mock], { cwd: folder.path })
  await until('a connection', async () => server.connections > 0)
  expect(good.process.exitCode).toBe(null)
})
