import { posix } from 'node:path'
import type { Breach } from './breach.ts'
import type { SourceTree } from './source-tree.ts'

/** Files that have to be part of a program. The kernel is compiled as a folder, declarations by name. */
const CHECKED = /^(src|ui)\/(?!.*\/assembly\/|.*\.d\.ts$)/
/** What builds the programs: its mention of a file makes the file an entry point. */
const BUILDS = /^(scripts\/|package\.json$|ui\/.*\.html$)/
/** A file named at the end of a string: an import, or the entry point of a worker or a process. */
const NAMED = /([\w./-]+\.tsx?)['"`]/g

function filesNamedIn(file: string, text: string): string[] {
  return [...text.matchAll(NAMED)].flatMap(([, name = '']) => [
    posix.join(posix.dirname(file), name),
    name,
    posix.join('ui', name),
  ])
}

/** Files of the product that no program contains: only tests or benchmarks import them. */
export function checkReach({ texts, sources }: Pick<SourceTree, 'texts' | 'sources'>): Breach[] {
  const reached = new Set([...texts.keys()].filter((file) => BUILDS.test(file)))
  for (const file of reached)
    for (const named of filesNamedIn(file, texts.get(file) ?? ''))
      if (!/^(tests|bench)\//.test(named)) reached.add(named)
  return sources
    .filter(({ file }) => CHECKED.test(file) && !reached.has(file))
    .map(({ file }) => ({
      file,
      line: 1,
      rule: 'test-only file',
      reason: 'no program contains it: move it to tests/support, or remove it',
    }))
}
