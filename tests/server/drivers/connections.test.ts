import { expect, test } from 'bun:test'
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { FakeClock } from '../../support/fake-clock.ts'
import { connectAs } from '../../support/server/driver-sockets.ts'
import { openTestServer } from '../../support/server/server.ts'
import { until } from '../../support/until.ts'

test('one address opens at most 200 connections at once to the ports of all drivers', async () => {
  // Stands still, so that no further connection is permitted meanwhile.
  await using server = await openTestServer({ clock: new FakeClock() })
  const ports: number[] = []
  for (const name of ['north', 'south']) {
    const { body } = await connectAs(server, await server.createQpu(name))
    const { command_port, result_port } = body as { command_port: number; result_port: number }
    ports.push(command_port, result_port)
  }
  const sockets: Socket[] = []
  const closed = new Set<number>()
  const open = async () => {
    const number = sockets.length
    const socket = createConnection(ports[number % ports.length] ?? 0, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => void closed.add(number))
    socket.resume()
    await once(socket, 'connect')
  }
  while (sockets.length < 200) await open()
  // Each of the four ports keeps the newest 16.
  await until('the oldest are closed', () => closed.size === 200 - 4 * 16)
  await open()
  await until('the connection above the limit is closed', () => closed.has(200))
  expect([closed.size, closed.has(199)]).toEqual([201 - 4 * 16, false])
  for (const socket of sockets) socket.destroy()
})
