/** Repeats `call` `count` times, at most `width` calls at a time; returns calls per second. */
export async function callsPerSecond(
  width: number,
  count: number,
  call: () => Promise<unknown>,
): Promise<number> {
  let left = count
  const client = async () => {
    while (left > 0) {
      left -= 1
      await call()
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: width }, client))
  return count / ((performance.now() - start) / 1_000)
}
