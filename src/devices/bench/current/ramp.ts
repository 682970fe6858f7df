import type { Clock } from '../../../base/index.ts'
import { MAX_STEP, milliamps } from './coupler-bias.ts'
import { type CurrentOutput, OutputError } from './output.ts'

/** How a ramp moves. */
export interface RampOptions {
  /** Largest rate of change, A/s. */
  rate: number
  /** Stops the ramp where it is; it then rejects with the reason. */
  signal?: AbortSignal | undefined
  clock: Clock
  /** Largest change in one step, A; at most `MAX_STEP` counts. */
  maxStep?: number | undefined
}

/** Part of the resolution by which a current read back may differ from the one that was set. */
const TOLERANCE = 0.5

/**
 * Moves the current of an output to the representable current nearest to `amps` and resolves with what the
 * output then holds. Each step is at most `MAX_STEP`, is confirmed by reading back, and follows the one
 * before after step ÷ rate, so over any time T the current moves by at most rate × T and one step.
 * @throws OutputError when the output does not follow, or its resolution is too coarse for the steps; the
 *   reason of `signal` when that aborts.
 */
export async function ramp(output: CurrentOutput, amps: number, options: RampOptions): Promise<number> {
  const { rate, signal, clock, maxStep = MAX_STEP } = options
  const { resolution } = output
  const stride = strideOf(resolution, Math.min(maxStep, MAX_STEP))
  signal?.throwIfAborted()
  const start = await output.read()
  const target = Math.round(amps / resolution)
  let held = start
  let at = Math.round(start / resolution)
  while (at !== target) {
    const next = at + Math.sign(target - at) * Math.min(stride, Math.abs(target - at))
    await waitUntil(clock.monotonic() + stepMs(next * resolution - held, rate), clock, signal)
    held = await output.write(next * resolution)
    if (differs(held, next, resolution)) {
      throw new OutputError(
        `the output does not follow: ${milliamps(held)} instead of ${milliamps(next * resolution)}`,
      )
    }
    at = next
  }
  return held
}

/**
 * How many units of the resolution one step moves. Half a unit is left for the first step of an output that
 * starts between two of its values.
 */
function strideOf(resolution: number, maxStep: number): number {
  const stride = Math.floor(maxStep / resolution - TOLERANCE)
  if (stride >= 1) return stride
  throw new OutputError(
    `one step of the output is ${(resolution * 1e6).toFixed(2)} µA, more than the ${maxStep * 1e6} µA that the coupler may be moved in one step`,
  )
}

function differs(held: number, units: number, resolution: number): boolean {
  return Math.abs(held - units * resolution) > TOLERANCE * resolution
}

/** Time that a change takes at this rate, in ms. */
function stepMs(change: number, rate: number): number {
  return (Math.abs(change) / rate) * 1_000
}

/** Waits by the monotonic time: a timer of the runtime may fire a little early. */
async function waitUntil(due: number, clock: Clock, signal: AbortSignal | undefined): Promise<void> {
  for (;;) {
    signal?.throwIfAborted()
    const ms = due - clock.monotonic()
    if (ms <= 0) return
    await clock.sleep(ms, signal)
  }
}
