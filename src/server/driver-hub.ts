import type { Command } from '../protocol/index.ts'

/** The live sockets of the drivers, as the features that push commands see them. */
export interface DriverHub {
  /** Hands a command to the driver's socket; false when none is attached or its queue is full: nothing was taken. */
  send(driver: string, command: Command): boolean
  /** The lease epoch under which the driver's command socket is attached, if it is. */
  attachedEpoch(driver: string): number | undefined
  /** Whether a message of the driver is arriving: nothing else that it says can overtake that. */
  isReceiving(driver: string): boolean
  /** Closes the driver's connections. */
  disconnect(driver: string, reason: string): void
}
