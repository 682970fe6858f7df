import { join } from 'node:path'
import { packFolder } from '../archive.ts'
import type { ReleaseRun } from '../release-run.ts'
import { run } from '../run.ts'

const REPOSITORY = join(import.meta.dir, '../../..')

/** Makes the Go client as a module proxy serves it: an unpacked archive is the folder of one. */
export async function makeGoModule({ version, dist, work }: ReleaseRun): Promise<void> {
  const folder = join(work, 'go')
  await run(['go', 'run', './internal/pack', folder], { cwd: join(REPOSITORY, 'clients/go') })
  await packFolder(folder, join(dist, `svc-client-go-${version.go}.tar.gz`))
}
