/** Number of ports in a row that this process has handed out or found taken, which it does not try again. */
let tried = 0

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: '127.0.0.1', port, socket: { data: () => undefined } }).stop(true)
    return true
  } catch {
    return false
  }
}

/** A port that is free now, chosen by the system. */
export function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
  listener.stop(true)
  return listener.port
}

/**
 * The first of `count` ports in a row that are free now. Each process begins in a part of the range of its
 * own, so that test files that run side by side do not choose the same ports.
 */
export function freePortRange(count: number): number {
  for (let tries = 0; tries < 100; tries += 1) {
    const first = 10_000 + (((process.pid % 211) * 100 + tried) % 20_000)
    tried += count
    const ports = Array.from({ length: count }, (_, at) => first + at)
    if (ports.every(isFree)) return first
  }
  throw new Error(`no ${count} free ports in a row`)
}
