/**
 * Which modules of `ui/` are worth one common chunk. The bundler makes a chunk of each set of modules that
 * the same pages use, which gave 31 scripts for one page.
 */
import { dirname, resolve } from 'node:path'
import type { BunPlugin } from 'bun'

/**
 * A module that as many pages use is loaded with the first one, if it has at most as many bytes. What the
 * page that most visits open shares with any other is, too: that visit loads it in any case.
 */
const COMMON = [
  { pages: 2, bytes: 2200 },
  { pages: 3, bytes: 4000 },
  { pages: 4, bytes: 6000 },
]

interface Module {
  bytes: number
  exports: string[]
  imports: string[]
  /** Loaded later, as a page or as a large part of one. */
  later: string[]
}

/** Pages that show the same forms: what two of them share makes one chunk, not one for each set of them. */
interface Family {
  members: readonly string[]
  /** They share with members, and do not count. */
  guests: readonly string[]
}

/** The details of a job use the forms of results: their family comes later. */
const FAMILIES: readonly Family[] = [
  {
    members: [
      'jobs/Job.tsx',
      'jobs/NewJob.tsx',
      'calibrations/Calibration.tsx',
      'calibrations/Calibrations.tsx',
      'calibrations/history/History.tsx',
    ],
    guests: ['shared/Shared.tsx', 'calibrations/report/ReportView.tsx'],
  },
  { members: ['jobs/Job.tsx', 'jobs/detail/sweep/Sweep.tsx', 'shared/Shared.tsx'], guests: [] },
]

/** A module by its path, and the name of a value that it exports. */
type Named = [path: string, name: string]

/** The name of the modules that hold others together. */
const NAME = 'shared-modules'

/**
 * A plugin of the bundler that puts the modules which most pages need into one chunk: each module that is
 * loaded on its own imports all of them. `first` are the scripts of the pages, `opened` is the page that most
 * visits open; what neither needs makes a second chunk, which their first load does without.
 */
export async function shareModules(first: readonly string[], opened: string): Promise<BunPlugin> {
  const modules = new Map<string, Module>()
  await Promise.all(first.map((path) => readModules(path, modules)))
  const entries = new Set([...first, ...[...modules.values()].flatMap(({ later }) => later)])
  const families = FAMILIES.map((family) =>
    wantedBy(family, modules, { pages: dirname(dirname(opened)), entries }),
  )
  const ofFamily = new Set(families.flatMap((paths) => [...paths]))
  const shared = sharedOf(modules, { first, opened, entries, family: ofFamily })
  const common = new Set(shared.map(([path]) => path))
  const neededFirst = new Set([...first, opened].flatMap((path) => [...closure(path, modules)]))
  const isHeld = (path: string) => ofFamily.has(path) || common.has(path) || neededFirst.has(path)
  const [early, late] = [true, false].map((isEarly) =>
    shared.filter(([path]) => neededFirst.has(path) === isEarly),
  )
  const onDemand = (held: Named[] = [], wanted = held) => {
    const needs = (entry: string) => wanted.some(([path]) => closure(entry, modules).has(path))
    return { text: holderOf(held), users: new Set([...entries].filter(needs)) }
  }
  const ofFamilies = families.map((paths) => namedOf(modules, paths, isHeld))
  const holders = [
    // The import keeps what loads modules later in the same chunk.
    { text: holderOf(early ?? [], `() => import(${JSON.stringify(opened)})`), users: entries },
    onDemand(late),
    // What needs a later family loads the earlier ones too, so that each stays one chunk.
    ...ofFamilies.map((held, at) => onDemand(held, ofFamilies.slice(at).flat())),
  ]
  return {
    name: NAME,
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${NAME}-\\d$`) }, ({ path }) => ({ path, namespace: NAME }))
      build.onLoad({ filter: /./, namespace: NAME }, ({ path }) => ({
        contents: holders[Number(path.at(-1))]?.text ?? '',
        loader: 'ts',
      }))
      build.onLoad({ filter: /\/ui\/.*\.tsx?$/ }, async ({ path }) => {
        const shares = holders.flatMap(({ users }, at) =>
          users.has(path) ? [`import { share as share${at} } from '${NAME}-${at}'\nshare${at}()`] : [],
        )
        const contents = [await Bun.file(path).text(), ...shares].join('\n')
        return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' }
      })
    },
  }
}

/** A module that imports values of others; each user adds to the list, since unused imports are left out. */
function holderOf(named: readonly Named[], ...more: string[]): string {
  const imports = named.map(([path, name], at) => `import { ${name} as m${at} } from ${JSON.stringify(path)}`)
  const list = `const modules = [${[...named.map((_, at) => `m${at}`), ...more].join()}]`
  return [...imports, list, 'export const share = () => modules.push(0)'].join('\n')
}

/** The modules that several members of a family share, and no page outside. */
function wantedBy(
  { members, guests }: Family,
  modules: ReadonlyMap<string, Module>,
  { pages, entries }: { pages: string; entries: ReadonlySet<string> },
): Set<string> {
  const pathOf = (name: string) => {
    const path = resolve(pages, name)
    if (!entries.has(path)) throw new Error(`A family of pages names ${name}, which nothing loads on its own`)
    return path
  }
  const [family, visitors] = [new Set(members.map(pathOf)), new Set(guests.map(pathOf))]
  const others = [...entries].filter((entry) => !visitors.has(entry))
  const needs = others.map((entry) => ({ isMember: family.has(entry), paths: closure(entry, modules) }))
  return new Set(
    [...modules.keys()].filter((path) => {
      const users = needs.filter(({ paths }) => paths.has(path))
      return users.length > 1 && users.every(({ isMember }) => isMember)
    }),
  )
}

interface Choices {
  first: readonly string[]
  opened: string
  entries: ReadonlySet<string>
  /** Modules that only families need. */
  family: ReadonlySet<string>
}

/** The paths of the modules for the common chunk, each with the name of a value that it exports. */
function sharedOf(
  modules: ReadonlyMap<string, Module>,
  { first, opened, entries, family }: Choices,
): Named[] {
  const needs = [...entries].map((path) => closure(path, modules))
  const neededFirst = closure(opened, modules)
  const isWanted = ([path, { bytes }]: [string, Module]) => {
    if (family.has(path)) return false
    const users = needs.filter((needed) => needed.has(path)).length
    const isCommon =
      COMMON.some((limit) => users >= limit.pages && bytes <= limit.bytes) ||
      (users > 1 && neededFirst.has(path))
    return isCommon || first.every((_, at) => needs[at]?.has(path))
  }
  const wanted = new Set([...modules].filter(isWanted).map(([path]) => path))
  return namedOf(modules, wanted, (path) => wanted.has(path)).filter(([path]) => !entries.has(path))
}

/** Those modules of which everything that they import is held too, with a value that each exports. */
function namedOf(
  modules: ReadonlyMap<string, Module>,
  wanted: ReadonlySet<string>,
  isHeld: (path: string) => boolean,
): Named[] {
  return [...wanted].sort().flatMap((path) => {
    const isWhole = [...closure(path, modules)].every(isHeld)
    const [name] = modules.get(path)?.exports ?? []
    return isWhole && name !== undefined ? [[path, name]] : []
  })
}

async function readModules(path: string, modules: Map<string, Module>): Promise<void> {
  if (modules.has(path)) return
  const module: Module = { bytes: 0, exports: [], imports: [], later: [] }
  modules.set(path, module)
  const loader = path.endsWith('.tsx') ? 'tsx' : 'ts'
  const transpiler = new Bun.Transpiler({ loader })
  const code = transpiler.transformSync(await Bun.file(path).text())
  module.bytes = code.length
  const scanned = transpiler.scan(code)
  module.exports = scanned.exports
  for (const { kind, path: name } of scanned.imports) {
    // A package belongs to a common chunk only if the first load needs it: an editor is larger than a page.
    const target = name.startsWith('.') ? resolve(dirname(path), name) : name
    if (!name.startsWith('.')) modules.set(name, { bytes: Infinity, exports: [], imports: [], later: [] })
    else if (!/\.tsx?$/.test(name)) continue
    if (kind === 'dynamic-import') module.later.push(target)
    else module.imports.push(target)
  }
  await Promise.all([...module.imports, ...module.later].map((each) => readModules(each, modules)))
}

/** A module and all modules that it imports statically, at any depth. */
function closure(path: string, modules: ReadonlyMap<string, Module>): Set<string> {
  const found = new Set([path])
  for (const each of found) for (const next of modules.get(each)?.imports ?? []) found.add(next)
  return found
}
