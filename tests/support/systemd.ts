/** Runs `systemd-analyze`, which checks units without a running systemd. */
export async function analyze(...args: string[]): Promise<{ status: number; err: string }> {
  const run = Bun.spawn(['systemd-analyze', ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  const err = await new Response(run.stderr).text()
  return { status: await run.exited, err }
}
