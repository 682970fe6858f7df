import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'

const ROOT = join(import.meta.dir, '..')
/** The executable that `npm run build` leaves. */
export const EXECUTABLE = join(ROOT, 'svc')

const SOURCES = [
  'src/**/*',
  'ui/**/*',
  'scripts/build-*.ts',
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

/** Builds the executable unless it is newer than everything it is made of. Exits with the build's status if it fails. */
export async function ensureBuild(): Promise<void> {
  if (existsSync(EXECUTABLE) && statSync(EXECUTABLE).mtimeMs >= newestSource()) return
  const build = Bun.spawn([process.execPath, 'run', 'scripts/build-binary.ts'], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const status = await build.exited
  if (status !== 0) process.exit(status)
}
