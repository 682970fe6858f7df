/** Totals of a socket since it was opened, over all its connections: for metrics. */
export interface Counters {
  /** Connections that exist now, in any state after TLS. */
  open: number
  /** Connections that completed the handshake. */
  ready: number
  /** Connections that were refused, broke the protocol, or left before the handshake was complete. */
  refused: number
  messagesIn: number
  messagesOut: number
  /** Bytes inside TLS, with greetings, commands and frame headers. */
  bytesIn: number
  /** Bytes of messages with their frame headers. */
  bytesOut: number
  /** Received messages that were dropped: several frames, or the handler failed. */
  dropped: number
}

/** Counters that start at zero. */
export function newCounters(): Counters {
  return { open: 0, ready: 0, refused: 0, messagesIn: 0, messagesOut: 0, bytesIn: 0, bytesOut: 0, dropped: 0 }
}
