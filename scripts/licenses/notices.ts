import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BundledPackage } from './collect.ts'
import { RUNTIME, RUNTIME_LIBRARIES, TEXTS } from './runtime.ts'

const RULE = '='.repeat(100)

/** A part of the executable, as `svc licenses --json` prints it. */
interface Component {
  name: string
  version: string
  license: string
  part: string
}

/** All parts of the executable, in the order of the notices. */
export function componentsOf(svc: { version: string }, packages: readonly BundledPackage[]): Component[] {
  return [
    { name: 'svc', version: svc.version, license: 'MIT', part: 'program' },
    ...packages.map(({ name, version, license, part }) => ({ name, version, license, part })),
    { name: 'bun', version: RUNTIME.version, license: RUNTIME.license, part: 'runtime' },
    ...RUNTIME_LIBRARIES.map(({ name, license, versionKey }) => ({
      name,
      version: versionKey === undefined ? '' : (process.versions[versionKey] ?? ''),
      license,
      part: 'runtime',
    })),
  ]
}

/** The text of `svc licenses`: every license and notice, each license of the runtime once. */
export function renderNotices(
  svc: { version: string; license: string },
  packages: readonly BundledPackage[],
): string {
  const components = componentsOf(svc, packages)
  const own = [section('svc', svc.version, 'MIT', svc.license)]
  const bundled = packages.map((each) => section(each.name, each.version, each.license, each.notices))
  const libraries = RUNTIME_LIBRARIES.map(({ name, license, copyright, source }) => {
    const version = components.find((each) => each.name === name)?.version ?? ''
    return `${[name, version].filter((each) => each !== '').join(' ')}\n  ${license}\n  ${copyright}\n  ${source}`
  })
  const runtime = section(
    'Bun',
    RUNTIME.version,
    RUNTIME.license,
    [RUNTIME.copyright, RUNTIME.source, RUNTIME.note, 'It contains these libraries:', ...libraries].join(
      '\n\n',
    ),
  )
  const texts = Object.entries(TEXTS).map(([id, file]) =>
    section(`License ${id}`, '', '', readFileSync(join(import.meta.dir, 'texts', file), 'utf8').trimEnd()),
  )
  return [...own, ...bundled, runtime, ...texts].join('\n\n').concat('\n')
}

function section(name: string, version: string, license: string, text: string): string {
  const title = [name, version, license === '' ? '' : `(${license})`].filter((each) => each !== '').join(' ')
  return `${RULE}\n${title}\n${RULE}\n\n${text}`
}
