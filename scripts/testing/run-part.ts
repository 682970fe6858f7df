import { closeSync, openSync, readFileSync } from 'node:fs'

/** What a part of `npm run check:full` closed with. */
export interface PartResult {
  passed: number
  failed: number
  skipped: number
  /** Its lines that name failed and unstable tests, and mutants that survived. */
  names: readonly string[]
}

/** The last line that counts, of tests or of attacks. */
export const COUNTS = /^(\d+) (?:attacks )?passed, (\d+) failed(?:, (\d+) skipped)?/gm
const NAMES = /^(?:failed|unstable|survived): .*/gm

/**
 * Runs the script of a part with its arguments in the folder `root`, and keeps what it prints in the file
 * `log`. A script that fails without a failure of its own, or ends without counts, has one failure.
 */
export async function runPart(
  script: readonly string[],
  { root, env, log }: { root: string; env: NodeJS.ProcessEnv; log: string },
): Promise<PartResult> {
  // Opened once: with a descriptor each, stdout and stderr overwrite each other.
  const output = openSync(log, 'a')
  const run = Bun.spawn([process.execPath, 'run', ...script], {
    cwd: root,
    env,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  const status = await run.exited
  const text = readFileSync(log, 'utf8')
  const counts = [...text.matchAll(COUNTS)].at(-1)
  const count = (group: number) => Number(counts?.[group] ?? 0)
  const [passed, failed, skipped] = [count(1), count(2), count(3)]
  const names = text.match(NAMES) ?? []
  if (counts && (status === 0 || failed > 0)) return { passed, failed, skipped, names }
  const problem = `failed: exited with status ${status}${counts ? '' : ' without counts'}; see ${log}`
  return { passed, failed: failed + 1, skipped, names: [...names, problem] }
}
