import type { JsonText } from '../db/index.ts'
import type { Command, RunJob } from '../protocol/index.ts'

/** A command before it is encoded: parts of a job may be the JSON texts that are stored. */
export type OutgoingCommand =
  | Exclude<Command, RunJob>
  | (Omit<RunJob, 'payload' | 'labels' | 'expected'> & {
      payload: RunJob['payload'] | JsonText
      labels?: RunJob['labels'] | JsonText
      expected?: RunJob['expected'] | JsonText
    })

/** The live sockets of the drivers, as seen by the features that send commands. */
export interface DriverHub {
  /**
   * Queues a command on the driver's socket; false if none is attached or its queue is full: nothing is sent
   * then.
   */
  send(driver: string, command: OutgoingCommand): boolean
  /** The lease epoch under which the driver's command socket is attached, if it is. */
  attachedEpoch(driver: string): number | undefined
  /** Whether a message of the driver is arriving; none of its other messages can overtake it. */
  isReceiving(driver: string): boolean
  /** Closes the driver's connections. */
  disconnect(driver: string, reason: string): void
}

/**
 * Delivers claims one after the other. When a claim can be neither delivered nor put back, its driver is
 * disconnected: with its next hello, what it does not have returns to the queue.
 * @throws the first error, after the other claims have been delivered.
 */
export async function deliverEach<Claim extends { driver: string }>(
  hub: Pick<DriverHub, 'disconnect'>,
  claims: readonly Claim[],
  deliver: (claim: Claim) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = []
  for (const claim of claims) {
    try {
      await deliver(claim)
    } catch (error) {
      errors.push(error)
      hub.disconnect(claim.driver, 'what it was claimed for could not be put back')
    }
  }
  if (errors.length > 0) throw errors[0]
}
