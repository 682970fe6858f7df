import { homedir } from 'node:os'
import { Alarms, systemClock } from '../../../src/base/index.ts'
import {
  type MonitorDevice,
  openDevice,
  readOptions,
  resolveDevice,
  startSimulatedFridge,
} from '../../../src/devices/index.ts'
import { runMonitor } from '../../../src/driver/operations/monitor.ts'
import type { EventPayload } from '../../../src/protocol/index.ts'
import { recordedLog } from '../../driver/support/logs.ts'
import { FakeClock } from '../fake-clock.ts'
import { until } from '../until.ts'

type FridgeOptions = Parameters<typeof startSimulatedFridge>[0]

/** A cold fridge on a port of this machine. */
export function coldFridge(options: Partial<FridgeOptions> = {}) {
  return startSimulatedFridge({ clock: systemClock, startAt: 50 * 3_600, ...options })
}

export type Readings = EventPayload<'CryostatReading'>['readings']

/** Opens a monitor as the driver does. */
export async function openMonitor(name: string, pairs: string[], env: Record<string, string> = {}) {
  const clock = new FakeClock()
  const recorded = recordedLog()
  const stopping = new AbortController()
  const device = await resolveDevice({ operation: 'monitor', device: name, cwd: '/tmp' })
  const options = readOptions({
    device,
    pairs,
    env,
    cwd: '/tmp',
    home: homedir(),
    dataDir: '/tmp/svc-test-data',
  })
  const opened: MonitorDevice = await openDevice(device, {
    name: 'test',
    options,
    log: recorded.log,
    signal: stopping.signal,
    clock,
  })
  const sent: { at: number; readings: Readings }[] = []
  const running = runMonitor(opened, {
    clock,
    alarms: new Alarms(clock),
    log: recorded.log,
    signal: stopping.signal,
    device: 'cryostat',
    version: '1.2.3',
    jobTimeoutMs: 10_000,
    send(message) {
      if (message.kind !== 'event') return
      sent.push({ at: clock.monotonic(), readings: JSON.parse(message.body).payload.readings })
    },
  })
  return {
    ...recorded,
    clock,
    sent,
    running,
    /** Waits, in real time, for the event number `count`. */
    untilSent: (count: number) => until(`${count} events`, () => sent.length >= count),
    [Symbol.dispose]: () => stopping.abort(new Error('the driver stops')),
  }
}
