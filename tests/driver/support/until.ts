/** Waits for what another process or a socket is about to do; fails after 5 s of real time. */
export async function until<T>(read: () => T | undefined | false, what = 'condition'): Promise<T> {
  const end = performance.now() + 5_000
  for (;;) {
    const value = read()
    if (value !== undefined && value !== false) return value
    if (performance.now() > end) throw new Error(`${what} did not come true within 5 s`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
