import { connect as connectTls } from 'node:tls'
import { encodeCommand } from '../../../src/protocol/zmtp/framing/command.ts'
import { encodeGreeting } from '../../../src/protocol/zmtp/handshake/greeting.ts'
import { until } from '../../support/until.ts'
import { type Attack, defineAttacks, type Shot, type Target } from '../attack.ts'
import {
  attach,
  type HostileDriver,
  PARTIAL,
  RUN,
  report,
  requestCalibration,
  stepAt,
  TRACE,
} from '../clients/driver-client.ts'

const MIB = 1024 * 1024
const RESULTS = ['sent', 'connection closed', 200]
/** Messages between two looks at the clock. */
const BATCH = 200
const GREETING = Buffer.from(encodeGreeting('PLAIN', false))
const PING = Buffer.from(encodeCommand('PING', new Uint8Array(2)))
const ACKNOWLEDGED_MS = 20_000

interface FloodAttack {
  name: string
  input: string
  cap?: string
  driver?: keyof Target['seeded']['drivers']
  finding?: number
  /** What happens before, such as a request that the driver is to receive. */
  begin?: (driver: HostileDriver, target: Target) => Promise<void>
  /** Sends one message. */
  send: (driver: HostileDriver, number: number) => Promise<unknown>
  /** Messages in all; as many as fit into the time unless given. */
  most?: number
  /** Number of acknowledgements to wait for. */
  acknowledged?: number
}

/** Sends messages without a pause for the duration of the attack. */
function flood({
  name,
  input,
  cap = 'budget of driver messages',
  driver = 'process',
  finding,
  begin,
  send,
  most = 10_000_000,
  acknowledged = 0,
}: FloodAttack): Attack {
  return {
    ...{ name, who: 'driver', input, cap, shots: 1, expect: RESULTS },
    ...(finding === undefined ? {} : { finding }),
    async prepare(target): Promise<Shot> {
      const attached = await attach(target, target.seeded.drivers[driver])
      await begin?.(attached, target)
      return async () => {
        const end = performance.now() + target.durationMs
        for (
          let number = 0;
          number < most && performance.now() < end && !attached.isClosed;
          number += BATCH
        ) {
          const count = Math.min(BATCH, most - number)
          const sent = Array.from({ length: count }, (_, at) => send(attached, number + at))
          // A server with back-pressure accepts no more; the attack then ends with its time.
          await Promise.race([Promise.allSettled(sent), Bun.sleep(500)])
        }
        // Messages that are acknowledged arrive one after the other, the largest after seconds.
        const isOver = () => attached.isClosed || attached.acknowledged >= acknowledged
        await until('the acknowledgements', isOver, { timeoutMs: ACKNOWLEDGED_MS }).catch(() => undefined)
        await Bun.sleep(Math.max(0, Math.min(900, end - performance.now())))
        target.note(attached.isClosed ? 'connection closed' : 'sent')
      }
    },
  }
}

const reading = (value: number) => ({
  readings: { 'mixing.temperature': { value, unit: 'K', status: 'ok' } },
})
const memory = (bytes: number) => 'f'.repeat(bytes)
const result = (bytes: number) => ({
  ...{ status: 'completed', job: 'job000000000001', attempt: 1, epoch: 1, execution_ms: 1 },
  results: {
    ...{ success: true, backend: 'attack', shots: 1, counts: { '0': 1 }, circuit_results: [], metadata: {} },
    memory: memory(bytes),
  },
})

/** Opens `count` TLS connections to a port of the driver and never speaks. */
function rawConnections(name: string, input: string, count: number): Attack {
  return {
    ...{ name, who: 'guest', input, cap: '16 connections of a port', shots: 1 },
    expect: ['connections open', 'connections refused', 'driver attached', 'driver refused', 200],
    async prepare(target) {
      const instance = crypto.randomUUID()
      const { granted } = await attach(target, target.seeded.drivers.process, instance)
      return async () => {
        const opened = await Promise.all(
          Array.from({ length: count }, () => {
            const { promise, resolve } = Promise.withResolvers<boolean>()
            const socket = connectTls({
              host: '127.0.0.1',
              port: granted.result_port,
              rejectUnauthorized: false,
            })
            socket.on('secureConnect', () => resolve(true))
            socket.on('error', () => resolve(false))
            socket.on('close', () => resolve(false))
            return promise
          }),
        )
        target.note(opened.every(Boolean) ? 'connections open' : 'connections refused')
        try {
          // The real driver reconnects meanwhile.
          await Promise.race([attach(target, target.seeded.drivers.process, instance), rejectLater()])
          target.note('driver attached')
        } catch {
          target.note('driver refused')
        }
      }
    },
  }
}

/** Sends the same bytes on 20 connections to a port of the driver. */
function rawPeer({
  name,
  input,
  cap,
  text,
}: {
  name: string
  input: string
  cap: string
  text: Buffer
}): Attack {
  return {
    ...{ name, who: 'guest', input, cap, expect: ['connections closed', 'connections open', 200] },
    async prepare(target) {
      const { granted } = await attach(target, target.seeded.drivers.process)
      return async () => {
        const closed = await Promise.all(
          Array.from({ length: 20 }, () => {
            const { promise, resolve } = Promise.withResolvers<boolean>()
            const socket = connectTls({
              host: '127.0.0.1',
              port: granted.result_port,
              rejectUnauthorized: false,
            })
            socket.on('secureConnect', () => socket.write(text))
            socket.on('error', () => resolve(true))
            socket.on('close', () => resolve(true))
            setTimeout(() => resolve(false), 1_000).unref()
            return promise
          }),
        )
        target.note(closed.every(Boolean) ? 'connections closed' : 'connections open')
      }
    },
  }
}

async function rejectLater(): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  setTimeout(() => reject(new Error('not attached within 5 s')), 5_000).unref()
  return promise
}

const monthsAgo = () => new Date(Date.now() - 90 * 86_400_000).toISOString()

/** Messages of drivers. */
export const drivers = defineAttacks([
  flood({
    name: 'driver-heartbeats',
    input: 'heartbeats without a pause',
    finding: 6,
    send: (driver) => driver.event('JobHeartbeat', { job: 'job000000000001', attempt: 1 }),
  }),
  flood({
    name: 'driver-unknown-types',
    input: 'events of unknown types without a pause',
    finding: 6,
    send: (driver, number) => driver.event(`Gossip${number % 50}`, { about: 'everybody' }),
  }),
  flood({
    name: 'driver-bad-payloads',
    input: 'malformed payloads without a pause',
    finding: 6,
    send: (driver) => driver.event('JobStarted', { job: { $ne: '' }, attempt: -1 }),
  }),
  flood({
    name: 'driver-no-json',
    input: 'text that is not JSON without a pause',
    finding: 6,
    send: (driver) => driver.send('{"type":"JobResult"'),
  }),
  flood({
    name: 'driver-bad-results',
    input: 'malformed results, each of which is acknowledged',
    finding: 6,
    send: (driver, number) =>
      driver.event('JobResult', { status: 'completed' }, `job000000000001.${number + 1}`),
  }),
  flood({
    name: 'driver-hellos',
    input: 'hellos with 10,000 outbox entries',
    cap: '64 KiB of an event',
    finding: 6,
    most: 20_000,
    send: (driver) =>
      driver.event('DriverHello', {
        ...{ version: '1', device: 'attack', epoch: driver.granted.epoch, running: null },
        outbox: Array.from({ length: 2_000 }, (_, at) => `job${at}.1`),
      }),
  }),
  flood({
    name: 'driver-readings',
    input: 'readings without a pause',
    cap: '100 events per second',
    driver: 'monitor',
    send: (driver, number) => driver.event('CryostatReading', reading(number / 7)),
  }),
  flood({
    name: 'driver-readings-wide',
    input: 'readings of 1,000 channels each',
    cap: '64 KiB of an event',
    driver: 'monitor',
    most: 2_000,
    send: (driver, number) =>
      driver.event('CryostatReading', {
        readings: Object.fromEntries(
          Array.from({ length: 1_000 }, (_, at) => [`c${at}`, { value: number, unit: 'K', status: 'ok' }]),
        ),
      }),
  }),
  flood({
    name: 'driver-descriptions',
    input: 'descriptions of 10,000 qubits',
    cap: '1 MiB of a description',
    driver: 'process',
    most: 200,
    send: (driver, number) =>
      driver.event('DeviceDescription', {
        schema: 1,
        qubits: Array.from({ length: 10_000 }, (_, at) => ({ name: `q${at}`, t1_s: 1e-6 * (number + 1) })),
      }),
  }),
  flood({
    name: 'driver-readings-channels',
    input: 'readings whose channels are always new',
    cap: '100 events per second',
    driver: 'monitor',
    most: 200,
    send: (driver, number) =>
      driver.event('CryostatReading', {
        readings: Object.fromEntries(
          Array.from({ length: 500 }, (_, at) => [
            `n${number}_${at}_${performance.now()}`,
            { value: 1, unit: 'K', status: 'ok' },
          ]),
        ),
      }),
  }),
  flood({
    name: 'driver-progress',
    input: 'progress of a calibration without a pause',
    cap: '100 events per second',
    driver: 'calibrate',
    // At the limit of points, and one above it.
    send: (driver, number) =>
      driver.event('CalibrationProgress', {
        ...{ run_id: RUN, request_id: null },
        ...stepAt(number, number % 2 === 0 ? TRACE : [...TRACE, 1]),
      }),
  }),
  flood({
    name: 'driver-progress-stored',
    input: 'progress of a run at the limits of traces and outcomes, each stored and streamed',
    cap: '100 events per second',
    driver: 'calibrate',
    begin: requestCalibration,
    send: (driver, number) =>
      driver.event('CalibrationProgress', {
        ...{ run_id: driver.run?.run_id, request_id: driver.run?.request_id },
        ...stepAt(number, TRACE),
      }),
  }),
  flood({
    name: 'driver-partial-results',
    input: 'results of single circuits of a job before its end, 2 MB each',
    cap: '2 MiB of partial results',
    most: 40,
    send: (driver) => driver.event('JobProgress', PARTIAL),
  }),
  flood({
    name: 'driver-results-at-cap',
    input: '5 results of 8 MB back to back',
    cap: '8 MiB of results',
    finding: 8,
    most: 5,
    acknowledged: 5,
    send: (driver, number) => driver.event('JobResult', result(8_000_000), `job00000000000${number}.1`),
  }),
  flood({
    name: 'driver-report-at-cap',
    input: 'a report of 8 MB whose traces are stripped at once',
    cap: '8 MiB of a report',
    driver: 'calibrate',
    finding: 8,
    most: 1,
    acknowledged: 1,
    send: (driver) => driver.send(report(Math.floor(performance.now()) % 10_000, 8_000_000, monthsAgo())),
  }),
  flood({
    name: 'driver-message-70-mb',
    input: 'a message of 70 MB',
    cap: '64 MiB of a message',
    most: 1,
    acknowledged: 1,
    send: (driver) => driver.event('JobResult', result(70 * MIB), 'job000000000001.1'),
  }),
  flood({
    name: 'driver-results-largest',
    input: '10 results of 31 MB back to back',
    cap: '8 MiB of results',
    finding: 8,
    most: 10,
    acknowledged: 10,
    send: (driver, number) => driver.event('JobResult', result(31 * MIB), `job00000000000${number}.1`),
  }),
  flood({
    name: 'driver-report-largest',
    input: 'a report of 30 MB whose traces are stripped at once',
    cap: '8 MiB of a report',
    driver: 'calibrate',
    finding: 8,
    most: 1,
    acknowledged: 1,
    send: (driver) => driver.send(report(Math.floor(performance.now()) % 10_000, 30 * MIB, monthsAgo())),
  }),
  flood({
    name: 'driver-reports',
    input: '4 reports of 30 MB back to back',
    cap: '8 MiB of a report',
    driver: 'calibrate',
    finding: 8,
    most: 4,
    acknowledged: 4,
    send: (driver, number) => driver.send(report(9_000 + number, 30 * MIB, new Date().toISOString())),
  }),
  flood({
    name: 'driver-too-large',
    input: 'results of 40 MB back to back',
    cap: '64 MiB of a message',
    most: 5,
    acknowledged: 5,
    send: (driver, number) => driver.event('JobResult', result(40 * MIB), `job00000000000${number}.1`),
  }),
  flood({
    name: 'driver-deep',
    input: 'events of 64 KB of brackets',
    cap: '64 levels',
    send: (driver) => driver.send('['.repeat(60_000)),
  }),
  flood({
    name: 'driver-keys',
    input: 'an event of 30 MB of keys',
    cap: '64 KiB of an event, 8 MiB of results',
    most: 2,
    acknowledged: 2,
    send: (driver) =>
      driver.event(
        'JobResult',
        Object.fromEntries(Array.from({ length: 1_500_000 }, (_, at) => [`k${at.toString(36)}`, 1])),
        'job000000000001.1',
      ),
  }),
  rawPeer({
    name: 'driver-pings',
    input: 'PING commands without a pause, before a handshake',
    cap: '100 commands per second',
    text: Buffer.concat([GREETING, ...Array.from({ length: 5_000 }, () => PING)]),
  }),
  rawPeer({
    name: 'driver-port-bytes',
    input: '20 connections that send 1 MB before the handshake',
    cap: '4 KiB before the handshake',
    text: Buffer.alloc(MIB, 0xff),
  }),
  rawConnections('driver-port-16', '16 silent TLS connections to a driver port', 16),
  rawConnections('driver-port-100', '100 silent TLS connections to a driver port', 100),
])
