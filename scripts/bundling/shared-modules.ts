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
  { pages: 2, bytes: 700 },
  { pages: 3, bytes: 1500 },
  { pages: 4, bytes: 6000 },
]

interface Module {
  bytes: number
  exports: string[]
  imports: string[]
  /** Loaded later, as a page or as a large part of one. */
  later: string[]
}

/** The name of the module that holds the others together. */
const NAME = 'shared-modules'

/**
 * A plugin of the bundler that puts the modules which most pages need into one chunk: each module that is
 * loaded on its own imports all of them. `first` are the scripts of the pages, `opened` is the page that most
 * visits open.
 */
export async function shareModules(first: readonly string[], opened: string): Promise<BunPlugin> {
  const modules = new Map<string, Module>()
  await Promise.all(first.map((path) => readModules(path, modules)))
  const entries = new Set([...first, ...[...modules.values()].flatMap(({ later }) => later)])
  const shared = sharedOf(modules, { first, opened, entries })
  const imports = shared.map(
    ([path, name], at) => `import { ${name} as m${at} } from ${JSON.stringify(path)}`,
  )
  // Each entry adds to the list, because the bundler leaves out what is imported but not used.
  const list = `const modules = [${shared.map((_, at) => `m${at}`).join()}]`
  const holder = [...imports, list, 'export const share = () => modules.push(0)'].join('\n')
  return {
    name: NAME,
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${NAME}$`) }, () => ({ path: NAME, namespace: NAME }))
      build.onLoad({ filter: /./, namespace: NAME }, () => ({ contents: holder, loader: 'ts' }))
      build.onLoad({ filter: /\/ui\/.*\.tsx?$/ }, async ({ path }) => {
        const text = await Bun.file(path).text()
        const contents = entries.has(path) ? `${text}\nimport { share } from '${NAME}'\nshare()` : text
        return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' }
      })
    },
  }
}

/** The paths of the modules for the common chunk, each with the name of a value that it exports. */
function sharedOf(
  modules: ReadonlyMap<string, Module>,
  { first, opened, entries }: { first: readonly string[]; opened: string; entries: ReadonlySet<string> },
): [path: string, name: string][] {
  const needs = [...entries].map((path) => closure(path, modules))
  const neededFirst = closure(opened, modules)
  const isWanted = (path: string, { bytes }: Module) => {
    const users = needs.filter((needed) => needed.has(path)).length
    const isCommon =
      COMMON.some((limit) => users >= limit.pages && bytes <= limit.bytes) ||
      (users > 1 && neededFirst.has(path))
    return isCommon || first.every((_, at) => needs[at]?.has(path))
  }
  const wanted = new Set(
    [...modules].filter(([path, module]) => isWanted(path, module)).map(([path]) => path),
  )
  return [...wanted].sort().flatMap((path) => {
    // A module comes only with everything that it imports.
    const isWhole = [...closure(path, modules)].every((each) => wanted.has(each))
    const [name] = modules.get(path)?.exports ?? []
    return isWhole && name !== undefined && !entries.has(path) ? [[path, name]] : []
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
    const target = resolve(dirname(path), name)
    if (!name.startsWith('.') || !/\.tsx?$/.test(name)) continue
    if (kind === 'dynamic-import') module.later.push(target)
    else module.imports.push(target)
  }
  await Promise.all([...module.imports, ...module.later].map((each) => readModules(each, modules)))
}

/** A module and all modules that it imports at once, at any depth. */
function closure(path: string, modules: ReadonlyMap<string, Module>): Set<string> {
  const found = new Set([path])
  for (const each of found) for (const next of modules.get(each)?.imports ?? []) found.add(next)
  return found
}
