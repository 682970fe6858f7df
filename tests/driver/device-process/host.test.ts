import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createDeviceHost } from '../../../src/driver/device-process/host.ts'
import { runDeviceHost } from '../../../src/driver/index.ts'
import type { DeviceChoice, FromHost } from '../../../src/driver/messages/host-messages.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { until } from '../../support/until.ts'
import { runJobOf } from '../support/jobs.ts'

const DEVICES = join(import.meta.dir, '../support/devices.ts')
const CHOICE: DeviceChoice = {
  operation: 'process',
  device: `${DEVICES}#wild`,
  optionPairs: ['greeting=hi'],
  cwd: '/tmp',
  home: '/home/nobody',
  dataDir: '/tmp/svc-driver-test',
  python: { given: '', beside: '' },
  version: '1.2.3',
}

function open() {
  const sent: FromHost[] = []
  let stops = 0
  const host = createDeviceHost({
    clock: new FakeClock(),
    env: {},
    send: (message) => sent.push(message),
    onStopped: () => {
      stops += 1
    },
  })
  const receive = async (kind: FromHost['kind']) =>
    until(kind, () => sent.find((message) => message.kind === kind))
  return { host, sent, receive, stops: () => stops }
}

test('createDeviceHost() prepares, opens, runs and stops a device', async () => {
  const { host, receive, stops } = open()
  host.receive({ kind: 'prepare', choice: CHOICE })
  host.receive({ kind: 'open' })
  expect(await receive('prepared')).toEqual({
    kind: 'prepared',
    device: 'wild',
    dataDir: '/tmp/svc-driver-test',
    jobTimeoutMs: 10_000,
  })
  await receive('ready')
  host.receive({ kind: 'command', text: JSON.stringify(runJobOf('ok')) })
  expect(await receive('result')).toMatchObject({ result: 'job000000000001.1' })
  host.receive({ kind: 'stop' })
  await until('the device stops', () => stops() === 1)
})

test('createDeviceHost() refuses to open a device that was not prepared', async () => {
  const { host, receive } = open()
  host.receive({ kind: 'open' })
  expect(await receive('refused')).toEqual({
    kind: 'refused',
    reasons: ['startup error: no device is prepared'],
    mayPass: false,
  })
})

test.each([
  [{ device: 'no_such_device' }, 'unknown process device no_such_device; known devices: '],
  [{ device: `${DEVICES}#gauge` }, `device ${DEVICES}#gauge is a monitor device, not process`],
  [{ device: `${DEVICES}#nothing` }, `device ${DEVICES}#nothing: ${DEVICES} has no export nothing`],
  [{ optionPairs: [] }, 'missing required option greeting (for example -o greeting=hello)'],
])('createDeviceHost() refuses %j', async (change, reason) => {
  const { host, receive } = open()
  host.receive({ kind: 'prepare', choice: { ...CHOICE, ...change } })
  const refused = await receive('refused')
  expect(refused.kind === 'refused' && refused.reasons[0]).toStartWith(reason)
})

test('createDeviceHost() fails an invalid job and logs other invalid commands', async () => {
  const { host, receive } = open()
  host.receive({ kind: 'prepare', choice: CHOICE })
  host.receive({ kind: 'open' })
  await receive('ready')
  host.receive({ kind: 'command', text: '{"type":"FromTheFuture"}' })
  expect(await receive('log')).toMatchObject({ level: 'warn', message: 'invalid command' })
  host.receive({ kind: 'command', text: JSON.stringify({ ...runJobOf('ok'), payload: {} }) })
  const result = await receive('result')
  expect(result.kind === 'result' && result.body).toContain('job not understood: payload.circuits')
})

test('runDeviceHost() refuses to run without a driver', () => {
  expect(() => runDeviceHost({ env: {} })).toThrow(
    'driver worker is started by the driver; use svc driver start',
  )
})
