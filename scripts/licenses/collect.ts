import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DOCS_TEMPLATE, FONT_PACKAGES, PAGES } from '../build-ui.ts'
import { findWorkerEntries } from '../worker-entries.ts'

const repository = join(import.meta.dir, '../..')

/** An npm package of which the executable contains something. */
export interface BundledPackage {
  name: string
  version: string
  /** SPDX license expression. */
  license: string
  /** License and notice files of the package. */
  notices: string
  /** SHA-512 of its archive, hexadecimal. */
  sha512: string
  /** What the executable contains of it. */
  part: 'program' | 'dashboard' | 'font' | 'simulator kernel'
}

/** The compiler of the kernel, which copies parts of its standard library into it. */
const KERNEL_PACKAGES = ['assemblyscript']
const NOTICE_FILES = /^(licen[cs]e|notice|copying|copyrightnotice)/i

/** All npm packages in the executable, by name; throws when one of them has no license file. */
export async function collectPackages(): Promise<BundledPackage[]> {
  const { declared } = await findWorkerEntries(repository)
  const program = await bundledFolders(['src/cli/main.ts', ...declared], 'bun')
  const dashboard = await bundledFolders(
    [...[...PAGES, DOCS_TEMPLATE].map((page) => `ui/${page}`), 'ui/theme-boot.ts'],
    'browser',
  )
  const parts = new Map<string, BundledPackage['part']>([
    ...dashboard.map((folder) => [folder, 'dashboard'] as const),
    ...KERNEL_PACKAGES.map((name) => [`node_modules/${name}`, 'simulator kernel'] as const),
    ...FONT_PACKAGES.map((name) => [`node_modules/${name}`, 'font'] as const),
    ...program.map((folder) => [folder, 'program'] as const),
  ])
  const { packages: locked } = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8'))
  return [...parts]
    .map(([folder, part]) => readPackage(folder, part, locked[folder]?.integrity ?? ''))
    .sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** Folders of the packages that a bundle of `entries` contains, relative to the repository. */
async function bundledFolders(entries: string[], target: 'bun' | 'browser'): Promise<string[]> {
  const { metafile } = await Bun.build({
    entrypoints: entries.map((entry) => join(repository, entry)),
    root: repository,
    target,
    splitting: target === 'bun',
    external: ['/fonts/*'],
    metafile: true,
  })
  const inputs = Object.keys(metafile?.inputs ?? {})
  const folders = inputs.flatMap(
    (path) => /(node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
  )
  if (inputs.length === 0) throw new Error(`The bundle of ${entries[0]} lists no inputs`)
  return [...new Set(folders)]
}

function readPackage(folder: string, part: BundledPackage['part'], integrity: string): BundledPackage {
  const path = join(repository, folder)
  const manifest: { name: string; version: string; license: string } = JSON.parse(
    readFileSync(join(path, 'package.json'), 'utf8'),
  )
  const files = existsSync(path)
    ? readdirSync(path)
        .filter((file) => NOTICE_FILES.test(file))
        .sort()
    : []
  if (files.length === 0)
    throw new Error(`${folder} has no license file; add its notice before it is shipped`)
  const { name, version, license } = manifest
  return {
    name,
    version,
    license,
    notices: files
      .map((file) => readFileSync(join(path, file), 'utf8').replaceAll('\r', '').trim())
      .join('\n\n'),
    sha512: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex'),
    part,
  }
}
