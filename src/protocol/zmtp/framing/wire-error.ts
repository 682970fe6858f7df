/** The peer violated the wire protocol or a limit: only its connection is destroyed. */
export class WireError extends Error {
  override readonly name = 'WireError'
}
