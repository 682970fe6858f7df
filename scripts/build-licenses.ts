/** Collects the licenses of everything in the executable into `licenses/`, which the executable contains. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import manifest from '../package.json' with { type: 'json' }
import { type BundledPackage, collectPackages } from './licenses/collect.ts'
import { componentsOf, renderNotices } from './licenses/notices.ts'
import { buildAndPlace } from './place-build.ts'

const repository = join(import.meta.dir, '..')

/** Builds `licenses/notices.txt` and `licenses/components.json`; returns the packages in the executable. */
export async function buildLicenses(): Promise<BundledPackage[]> {
  const packages = await collectPackages()
  const license = (await Bun.file(join(repository, 'LICENSE')).text()).trimEnd()
  const svc = { version: manifest.version, license }
  await buildAndPlace('licenses', join(repository, 'licenses'), async (folder) => {
    await mkdir(folder)
    await Bun.write(join(folder, 'notices.txt'), renderNotices(svc, packages))
    await Bun.write(
      join(folder, 'components.json'),
      `${JSON.stringify(componentsOf(svc, packages), null, 2)}\n`,
    )
  })
  return packages
}

if (import.meta.main) await buildLicenses()
