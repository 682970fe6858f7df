import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'

const ROOT = join(import.meta.dir, '..')
/** The executable that `npm run build` leaves. */
export const EXECUTABLE = join(ROOT, 'svc')
/** The same with failure points, for the fault tests only. */
export const FAILPOINTS_EXECUTABLE = join(ROOT, 'svc-failpoints')

const SOURCES = [
  'src/**/*',
  'ui/**/*',
  'clients/js/src/**/*',
  'docs/**/*.md',
  'scripts/build-*.ts',
  'scripts/docs-pages/*',
  'scripts/licenses/**/*',
  'examples/*.yml',
  'package.json',
  'package-lock.json',
  'bunfig.toml',
]

function newestSource(): number {
  let newest = 0
  for (const pattern of SOURCES) {
    for (const path of new Glob(pattern).scanSync({ cwd: ROOT })) {
      newest = Math.max(newest, statSync(join(ROOT, path)).mtimeMs)
    }
  }
  return newest
}

function isFresh(executable: string): boolean {
  return existsSync(executable) && statSync(executable).mtimeMs >= newestSource()
}

/**
 * Builds the executable unless it is newer than everything it is made of. Exits with the build's status if it
 * fails.
 */
export function ensureBuild(): Promise<void> {
  return ensure(EXECUTABLE, [])
}

/** As `ensureBuild`, with failure points. */
export function ensureFailpointsBuild(): Promise<void> {
  return ensure(FAILPOINTS_EXECUTABLE, ['--failpoints', '--outfile', FAILPOINTS_EXECUTABLE])
}

async function ensure(executable: string, args: string[]): Promise<void> {
  if (isFresh(executable)) return
  const build = Bun.spawn([process.execPath, 'run', 'scripts/build-binary.ts', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const status = await build.exited
  if (status !== 0) process.exit(status)
}
