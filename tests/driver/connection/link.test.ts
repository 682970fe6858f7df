import { expect, test } from 'bun:test'
import { systemClock } from '../../../src/base/index.ts'
import { requestLease } from '../../../src/driver/connection/connect.ts'
import { type Link, openLink } from '../../../src/driver/connection/link.ts'
import { type ConnectResponse, fingerprintOf } from '../../../src/protocol/index.ts'
import { until } from '../../support/until.ts'
import { certificates } from '../support/driver.ts'
import { recordedLog } from '../support/logs.ts'
import { openTestServer } from '../support/test-server.ts'

async function open(change: Partial<ConnectResponse> = {}, ca = certificates.caPem) {
  const server = await openTestServer({ certificates })
  const lease = await requestLease({
    svcAddr: server.url,
    token: 'x',
    operation: 'process',
    device: 'wild',
    host: 'bench',
    version: '1',
    instance: 'abc',
    ca: certificates.caPem,
    pin: fingerprintOf(certificates.caPem),
    clock: systemClock,
    signal: new AbortController().signal,
  })
  const commands: string[] = []
  let ready = false
  const { log, lines } = recordedLog()
  const link: Link = openLink({
    lease: { ...lease, ...change },
    ca,
    version: '1',
    clock: systemClock,
    log,
    hasStandby: false,
    greeting: () => ['{"type":"DriverHello","id":"h"}'],
    onCommand: (text) => commands.push(text),
    onReady: () => {
      ready = true
    },
  })
  return {
    server,
    link,
    commands,
    lines,
    ready: () => ready,
    async [Symbol.asyncDispose]() {
      await link.close()
      await server.close()
    },
  }
}

test('openLink() sends its hello first, and before commands can arrive', async () => {
  await using at = await open()
  expect(at.link.trySend('{"type":"TooEarly"}')).toBe(false)
  await until('the link is ready', at.ready)
  expect(at.link.ready).toBe(true)
  await at.link.send('{"type":"Later"}')
  await until('the server receives the events', () => at.server.events.length === 2)
  expect(at.server.events.map((event) => event.type)).toEqual(['DriverHello', 'Later'])
})

test('openLink() passes commands on unchanged', async () => {
  await using at = await open()
  await until('the link is ready', at.ready)
  at.server.push({ type: 'SetMaintenance', on: true, reason: 'Flüssigkeit 冷' })
  expect(await until('the command arrives', () => at.commands[0])).toBe(
    '{"type":"SetMaintenance","on":true,"reason":"Flüssigkeit 冷"}',
  )
})

test('openLink() closes both sockets when the server closes one', async () => {
  await using at = await open()
  await until('the link is ready', at.ready)
  at.server.drop()
  expect(await at.link.closed).not.toBe('')
  await until('both ends are disconnected', () => !at.link.ready && !at.server.attached())
  await expect(at.link.send('{}')).rejects.toMatchObject({ code: 'unavailable' })
})

test.each([
  ['a password that the server refuses', { auth_token: 'old' }, certificates.caPem],
  ['a port without a listener', { result_port: 1 }, certificates.caPem],
  ['a command port without a listener', { command_port: 1 }, certificates.caPem],
  ['a server of another CA', {}, certificates.foreign.caPem],
])('openLink() ends, without having been ready, with %s', async (_, change, ca) => {
  await using at = await open(change, ca)
  const part = 'command_port' in change ? 'command' : 'result'
  expect(await at.link.closed).toMatch(new RegExp(`^${part} port \\d+ of 127.0.0.1 cannot be attached: .`))
  expect(at.ready()).toBe(false)
})

test('openLink() closes when only the command socket cannot be attached', async () => {
  await using at = await open({ command_port: 1 })
  expect(await at.link.closed).not.toBe('')
  await until('the server receives the events', () => at.server.events.length === 1)
  expect(at.ready()).toBe(false)
})
