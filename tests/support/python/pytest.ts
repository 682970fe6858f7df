/** How a run of pytest ended: the status, its last line, and the whole output for the report of a failure. */
export interface PytestRun {
  status: number
  summary: string
  output: string
}

/** Runs pytest in `cwd`, with folders of packages before those of the interpreter. */
export async function runPytest(
  interpreter: string,
  cwd: string,
  {
    paths,
    args = [],
    env = {},
  }: { paths: readonly string[]; args?: readonly string[]; env?: Readonly<Record<string, string>> },
): Promise<PytestRun> {
  const run = Bun.spawn([interpreter, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', ...args], {
    cwd,
    env: { ...process.env, ...env, PYTHONPATH: paths.join(':'), PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, status] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
    run.exited,
  ])
  const lines = out.trimEnd().split('\n')
  return { status, summary: lines.at(-1) ?? '', output: `${out}${err}` }
}
