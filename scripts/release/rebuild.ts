import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHECKSUMS, readChecksums } from '../../src/cli/verify/checksums.ts'
import { UNSIGNED } from './release-run.ts'
import { run } from './run.ts'
import type { Target } from './runtime.ts'

const REPOSITORY = join(import.meta.dir, '../..')

interface Rebuilt {
  /** What the release was made of. */
  commit: string
  version: string
  /** Folder of the release. */
  dist: string
  targets: readonly Target[]
  isQuick: boolean
}

/**
 * Makes a release again, in a fresh clone of its commit with another folder, time zone and mask of file
 * modes, and compares the checksum of every file.
 *
 * @throws Error that names each file that differs.
 */
export async function assertReproducible({
  commit,
  version,
  dist,
  targets,
  isQuick,
}: Rebuilt): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'svc-rebuild-'))
  try {
    const clone = join(work, 'clone')
    const again = join(work, 'dist')
    await mkdir(join(work, 'tmp'))
    await run(['git', 'clone', '--quiet', '--no-hardlinks', REPOSITORY, clone])
    await run(['git', 'checkout', '--quiet', '--detach', commit], { cwd: clone })
    await run(['npm', 'ci', '--no-audit', '--no-fund'], { cwd: clone })
    const options = [
      ...targets.map((target) => `--target=${target}`),
      ...(isQuick ? ['--quick'] : []),
      '--no-checks',
      `--dist=${again}`,
    ]
    const command = ['umask 077; exec npm run --silent release -- "$@"', 'release', version, ...options]
    const env = { TZ: 'Asia/Tokyo', TMPDIR: join(work, 'tmp') }
    await run(['sh', '-c', ...command], { cwd: clone, env, success: UNSIGNED })
    const [made, rebuilt] = await Promise.all([dist, again].map(sumsOf))
    const names = new Set([...(made?.keys() ?? []), ...(rebuilt?.keys() ?? [])])
    const differing = [...names].filter((name) => made?.get(name) !== rebuilt?.get(name))
    if (differing.length > 0)
      throw new Error(`a second build of ${commit} differs in\n${differing.toSorted().join('\n')}`)
    console.log(`${names.size} files have the same checksum in a second build of ${commit}`)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** The checksums of a release by the names of its files. */
async function sumsOf(folder: string): Promise<Map<string, string>> {
  return readChecksums(await readFile(join(folder, CHECKSUMS), 'utf8'))
}
