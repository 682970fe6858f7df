import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { packFolder } from '../archive.ts'
import type { ReleaseRun } from '../release-run.ts'

const REPOSITORY = join(import.meta.dir, '../../..')

/**
 * Packs the documentation as the executable serves it at `/docs/`: pages, styles and the index for search.
 * Any web server shows it; the archive is the root of a site.
 */
export async function makeDocumentation({ version, dist, work }: ReleaseRun): Promise<void> {
  const folder = join(work, 'documentation')
  await mkdir(folder)
  for (const name of ['docs', 'a', 'fonts'])
    await cp(join(REPOSITORY, 'web/dashboard', name), join(folder, name), { recursive: true })
  await Bun.write(
    join(folder, 'index.html'),
    '<!doctype html><meta http-equiv="refresh" content="0; url=docs/">\n',
  )
  await packFolder(folder, join(dist, `svc-docs-${version.semver}.tar.gz`))
}
