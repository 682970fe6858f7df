import type { MonitorDevice } from '../../devices/index.ts'
import { emitEvent } from './emit.ts'
import type { OperationIo, RunningOperation } from './operation.ts'

/** Runs a monitor: its readings go up on its own schedule. */
export function runMonitor(device: MonitorDevice, io: OperationIo): RunningOperation {
  return {
    start: () =>
      device.start({
        emit: (type, payload) => emitEvent(io, type, payload),
        every: (seconds, run) => {
          if (!(seconds > 0)) throw new RangeError(`every(${seconds}): the period must be longer than 0 s`)
          void repeat(io, seconds * 1_000, run)
        },
      }),
    onCommand: () => undefined,
    stop: async () => device.stop?.(),
  }
}

/** Calls `run` now and every `periodMs`, on the beat: a tick that falls into a running call is skipped. */
async function repeat(
  { clock, log, signal }: OperationIo,
  periodMs: number,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const startedAt = clock.monotonic()
  while (!signal.aborted) {
    try {
      await run(signal)
    } catch (error) {
      if (!signal.aborted) log.warn('reading failed', { error })
    }
    const elapsed = clock.monotonic() - startedAt
    const pauseMs = periodMs - (elapsed % periodMs)
    await clock.sleep(pauseMs, signal).catch(() => undefined)
  }
}
