/**
 * The two ends of the socket benchmark, the same for both kinds of socket. A link is `{ send(body):
 * Promise<void> | undefined, onMessage(handler) }`. The first byte of a message is its type: `C` is counted,
 * `E` is sent back, `D` requests a confirmation that all earlier messages have arrived.
 */
const COUNT = 67
const ECHO = 69
const DONE = 68

/** Resolves when the responding end reports that both its sockets are connected. */
export function untilConnected(link) {
  return new Promise((resolve) => link.onMessage(resolve))
}

/** Responds to a measuring end until the process is killed. Call it when both sockets are connected. */
export function respond(link) {
  link.onMessage((body) => {
    if (body[0] === ECHO) void link.send(Buffer.from(body))
    else if (body[0] === DONE) void link.send(Buffer.of(DONE))
  })
  void link.send(Buffer.of(DONE))
}

/**
 * Measures one message size: `{ perSecond, p50, p99 }`, with the latency of a round trip over both sockets in
 * µs.
 */
export async function measure(link, { size, messages, roundTrips }) {
  let onArrival = () => undefined
  link.onMessage(() => onArrival())
  const arrival = () =>
    new Promise((resolve) => {
      onArrival = resolve
    })

  const echo = Buffer.alloc(size, ECHO)
  const micros = []
  for (let turn = -50; turn < roundTrips; turn++) {
    const start = performance.now()
    const back = arrival()
    const sending = link.send(echo)
    if (sending) await sending
    await back
    if (turn >= 0) micros.push((performance.now() - start) * 1_000)
  }
  micros.sort((a, b) => a - b)

  const counted = Buffer.alloc(size, COUNT)
  const over = arrival()
  const start = performance.now()
  for (let sent = 0; sent < messages; sent++) {
    const sending = link.send(counted)
    if (sending) await sending
  }
  await link.send(Buffer.of(DONE))
  await over
  const seconds = (performance.now() - start) / 1_000
  const at = (part) => micros[Math.min(micros.length - 1, Math.floor(part * micros.length))]
  return { perSecond: messages / seconds, p50: at(0.5), p99: at(0.99) }
}
