/** The peer broke the wire protocol or a limit: its connection, and only that, is destroyed. */
export class WireError extends Error {
  override readonly name = 'WireError'
}
