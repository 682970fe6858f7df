interface RunOptions {
  cwd?: string
  env?: Record<string, string>
  /** Exit status of a success; 0 without it. */
  success?: number
  /** Whether the program talks to the person at the terminal. */
  isInteractive?: boolean
}

/**
 * Runs a program to its end; returns its standard output.
 *
 * @throws Error with its output unless it ends with the status of a success.
 */
export async function run(command: string[], options: RunOptions = {}): Promise<string> {
  const { cwd, env = {}, success = 0, isInteractive = false } = options
  const child = Bun.spawn(command, {
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, ...env },
    stdin: isInteractive ? 'inherit' : 'ignore',
    stdout: 'pipe',
    stderr: isInteractive ? 'inherit' : 'pipe',
  })
  const [out, err, status] = await Promise.all([
    new Response(child.stdout).text(),
    child.stderr ? new Response(child.stderr).text() : '',
    child.exited,
  ])
  if (status !== success) throw new Error(`${command.join(' ')} ended with ${status}\n${out}${err}`)
  return out
}
