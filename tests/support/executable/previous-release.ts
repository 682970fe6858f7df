import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const RELEASES = join(import.meta.dir, '../../interop/releases')
const ENDING = '.tar.gz'

/**
 * Unpacks the frozen program of the previous release below `folder`; see `scripts/release/freeze.ts`. Returns
 * its version and the path of a command that runs it like the executable.
 */
export async function unpackPreviousRelease(
  folder: string,
): Promise<{ version: string; executable: string }> {
  const archives = readdirSync(RELEASES).filter((name) => name.endsWith(ENDING))
  const [archive] = archives
  if (archive === undefined || archives.length > 1) {
    throw new Error(`${RELEASES} must hold one archive, that of the previous release: ${archives}`)
  }
  const target = join(folder, 'previous-release')
  mkdirSync(target)
  const tar = Bun.spawn(['tar', '-xzf', join(RELEASES, archive), '-C', target], { stderr: 'inherit' })
  if ((await tar.exited) !== 0) throw new Error(`${archive} cannot be unpacked`)
  for (const file of new Bun.Glob('**/*.{js,ts}').scanSync(target)) {
    const text = await Bun.file(join(target, file)).text()
    await Bun.write(join(target, file), text.replaceAll('RELEASE_FOLDER', target))
  }
  const executable = join(target, 'svc')
  writeFileSync(
    executable,
    `#!/bin/sh\nexec '${process.execPath}' '${join(target, 'bundle/cli/main.js')}' "$@"\n`,
  )
  chmodSync(executable, 0o755)
  return { version: basename(archive, ENDING), executable }
}
