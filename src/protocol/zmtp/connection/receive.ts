import type { Log } from '../../../base/index.ts'
import type { Counters } from './counters.ts'

/**
 * Result of a message handler: false when it is not ready and needs the same message again after `resume`.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: handlers that return nothing must be assignable
export type Taken = void | false

interface ReceiveOptions {
  log: Log
  counters: Counters
  /** A message of one frame, the only kind our own peers send. */
  onMessage: ((body: Uint8Array) => Taken) | undefined
  /** A message of several frames; they are logged and dropped when there is no handler. */
  onFrames: ((frames: readonly Uint8Array[]) => Taken) | undefined
}

/** Calls the handler of each message; an exception loses the message, not the connection. */
export function receiver(options: ReceiveOptions): (frames: readonly Uint8Array[]) => Taken {
  const { log, counters, onMessage, onFrames } = options
  return (frames) => {
    const [body] = frames
    if (frames.length !== 1 && !onFrames) {
      counters.dropped += 1
      log.warn('message of several frames dropped', { frames: frames.length })
      return undefined
    }
    try {
      return body && frames.length === 1 ? onMessage?.(body) : onFrames?.(frames)
    } catch (error) {
      counters.dropped += 1
      log.error('message dropped because its handler failed', { error })
      return undefined
    }
  }
}
