import { expect, test } from 'bun:test'
import { type HostCommand, HostProcess, ownHostArgv } from '../../../src/driver/device-process/child.ts'
import type { FromHost } from '../../../src/driver/messages/host-messages.ts'
import { until } from '../../support/until.ts'
import { recordedLog } from '../support/logs.ts'

function spawn(source: string, env: HostCommand['env'] = {}) {
  const messages: FromHost[] = []
  const exits: string[] = []
  const { log, lines } = recordedLog()
  const host = new HostProcess(
    { argv: [process.execPath, '-e', source], env },
    { log, onMessage: (message) => messages.push(message), onExit: (how) => exits.push(how) },
  )
  return { host, messages, exits, lines }
}

test('ownHostArgv() names the main module when run from source', () => {
  expect(ownHostArgv()).toEqual([process.execPath, Bun.main, 'driver', 'worker'])
})

test.each([
  ['process.abort()', 'SIGABRT'],
  ['process.exit(7)', 'code 7'],
  ['throw new Error("x")', 'code 1'],
  ['Promise.reject(new Error("x"))', 'code 1'],
])('HostProcess reports how `%s` ends', async (source, how) => {
  const { exits } = spawn(source)
  expect(await until('the process exits', () => exits[0])).toBe(how)
})

test('HostProcess delivers messages sent just before the exit, before it reports the exit', async () => {
  const order: string[] = []
  const body = 'x'.repeat(4_000_000)
  const source = `process.send({ kind: 'result', result: 'a.1', body: 'x'.repeat(4_000_000) }, () => process.abort())`
  new HostProcess(
    { argv: [process.execPath, '-e', source], env: {} },
    {
      log: recordedLog().log,
      onMessage: (message) =>
        order.push(message.kind === 'result' && message.body === body ? 'result' : 'other'),
      onExit: (how) => order.push(how),
    },
  )
  await until('the process exits', () => order.includes('SIGABRT'))
  expect(order).toEqual(['result', 'SIGABRT'])
})

test('HostProcess drops invalid messages', async () => {
  const { messages, lines, host } = spawn(
    `process.send({ kind: 'nonsense' }); process.send({ kind: 'ready' }); setInterval(() => {}, 1000)`,
  )
  await until('the process is ready', () => messages.length === 1)
  expect(lines).toMatchObject([{ level: 'warn', message: 'invalid message from the device process' }])
  host.kill()
})

test('HostProcess.kill() ends a process that is busy or stopped', async () => {
  const busy = spawn(`process.send({ kind: 'ready' }); setTimeout(() => { for (;;); }, 1)`)
  await until('the process is ready', () => busy.messages.length === 1)
  busy.host.kill()
  expect(await until('the process exits', () => busy.exits[0])).toBe('SIGKILL')
  expect(busy.host.send({ kind: 'stop' })).toBe(false)
  const stopped = spawn(`process.send({ kind: 'ready' }); process.kill(process.pid, 'SIGSTOP')`)
  await until('the process is ready', () => stopped.messages.length === 1)
  stopped.host.kill()
  expect(await until('the process exits', () => stopped.exits[0])).toBe('SIGKILL')
})

test('HostProcess ends a process that closes its channel', async () => {
  const { exits } = spawn(`process.disconnect(); setInterval(() => {}, 1000)`)
  expect(await until('the process exits', () => exits[0])).toBe('SIGKILL')
})
