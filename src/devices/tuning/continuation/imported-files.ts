import { readFileSync } from 'node:fs'
import { dirname, isAbsolute } from 'node:path'

/** Extensions of files that can import others, with the syntax that they have. */
const LOADER_OF: Readonly<Record<string, 'ts' | 'tsx' | 'jsx'>> = {
  ts: 'ts',
  mts: 'ts',
  cts: 'ts',
  tsx: 'tsx',
  js: 'jsx',
  mjs: 'jsx',
  cjs: 'jsx',
  jsx: 'jsx',
}

/**
 * Hashes of modules and of all files that they import, directly or through others, by path in alphabetical
 * order. Imports whose path is computed when they run are not among them.
 */
export function importedFiles(modules: Iterable<string>): ReadonlyMap<string, string> {
  const hashes = new Map<string, string>()
  const open = [...modules]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (hashes.has(path)) continue
    const content = contentOf(path)
    hashes.set(path, new Bun.CryptoHasher('sha256').update(content).digest('hex'))
    open.push(...importsOf(path, content))
  }
  return new Map([...hashes].sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** Empty for a file that cannot be read, which fails where it is imported. */
function contentOf(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch {
    return Buffer.alloc(0)
  }
}

/** The files that a file imports; none of one with errors of syntax, which fails where it is imported. */
function importsOf(path: string, content: Buffer): string[] {
  const loader = LOADER_OF[path.split('.').at(-1) ?? '']
  if (loader === undefined) return []
  try {
    const imports = new Bun.Transpiler({ loader }).scanImports(content)
    return imports.flatMap((each) => resolved(each.path, dirname(path)))
  } catch {
    return []
  }
}

/** None for what is part of this program. */
function resolved(path: string, folder: string): string[] {
  try {
    return [Bun.resolveSync(path, folder)].filter(isAbsolute)
  } catch {
    return []
  }
}
