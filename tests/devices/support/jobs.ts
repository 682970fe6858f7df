import { homedir } from 'node:os'
import { type Clock, type Log, silentLog, systemClock } from '../../../src/base/index.ts'
import {
  checkResults,
  type JobIo,
  openDevice,
  type ProcessDevice,
  readOptions,
  resolveDevice,
} from '../../../src/devices/index.ts'
import type { CircuitEntry, JobPayload, JobResults } from '../../../src/protocol/index.ts'

/** A job payload with the defaults of the server. A text is a circuit without parameters. */
export function payloadOf(circuits: (string | CircuitEntry)[], more: Partial<JobPayload> = {}): JobPayload {
  return {
    circuits: circuits.map((circuit) => (typeof circuit === 'string' ? { circuit } : circuit)),
    shots: 1_024,
    meas_level: 2,
    meas_return: 'single',
    memory: false,
    ...more,
  }
}

/** The limits of a job: `ms` of time. */
export function ioOf(ms = 20_000, signal: AbortSignal = new AbortController().signal): JobIo {
  return { signal, deadline: systemClock.monotonic() + ms, phase: () => undefined }
}

/** Opens a process device as the driver does. */
export async function openProcess(
  name: string,
  pairs: string[] = [],
  clock: Clock = systemClock,
  log: Log = silentLog,
): Promise<ProcessDevice> {
  const device = await resolveDevice({ operation: 'process', device: name, cwd: '/tmp' })
  const options = readOptions({ device, pairs, cwd: '/tmp', home: homedir(), dataDir: '/tmp/svc-test-data' })
  const signal = new AbortController().signal
  return openDevice(device, { name: 'test', options, log, signal, clock })
}

/**
 * The error with which a job ends. `expect(…).rejects` runs a nested event loop, which may not receive
 * messages of other threads.
 */
export function errorOfJob(device: ProcessDevice, payload: JobPayload, io = ioOf()): Promise<unknown> {
  return device.run({ id: 'job000000000001', attempt: 1, payload }, io).then(
    () => undefined,
    (error: unknown) => error,
  )
}

/** Runs one job and checks its results as the driver does. */
export async function runJob(
  device: ProcessDevice,
  payload: JobPayload,
  id = 'job000000000001',
  attempt = 1,
): Promise<JobResults> {
  return checkResults(await device.run({ id, attempt, payload }, ioOf()))
}
