import type { MonitorDevice } from '../../devices/index.ts'
import { emitEvent } from './emit.ts'
import type { OperationIo, RunningOperation } from './operation.ts'

/** Runs a monitor, which sends readings on its own schedule. */
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
    stop: async (stopIo) => device.stop?.(stopIo),
  }
}

/** Calls `run` now and every `periodMs`, at a fixed rate: ticks during a running call are skipped. */
async function repeat(
  { clock, log, signal }: OperationIo,
  periodMs: number,
  run: (signal: AbortSignal, skipped: number) => Promise<void>,
): Promise<void> {
  const startedAt = clock.monotonic()
  let beat = 0
  let skipped = 0
  while (!signal.aborted) {
    try {
      await run(signal, skipped)
    } catch (error) {
      if (!signal.aborted) log.warn('reading failed', { error })
    }
    const elapsed = clock.monotonic() - startedAt
    // Counted rather than computed from the time alone: a timer early by a fraction of 1 ms would repeat its
    // beat.
    const next = Math.max(beat, Math.floor(elapsed / periodMs)) + 1
    skipped = next - beat - 1
    beat = next
    await clock.sleep(Math.max(0, beat * periodMs - elapsed), signal).catch(() => undefined)
  }
}
