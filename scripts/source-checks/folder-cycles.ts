import { posix } from 'node:path'
import { importsOf } from '../source-text.ts'
import type { Breach } from './breach.ts'
import type { SourceFile } from './source-tree.ts'

/** Names by the names that they import. */
type Graph = Map<string, Set<string>>

/**
 * Folders that import each other, as groups: of each folder the entries of which every one reaches every
 * other by imports, types included. An entry is a subfolder or a file beside the subfolders.
 */
export function folderCycles(sources: readonly SourceFile[]): string[][] {
  const graphs = new Map<string, Graph>()
  for (const { file, source, code } of sources) {
    for (const { specifier } of importsOf(source, code)) {
      if (!specifier.startsWith('.')) continue
      const edge = edgeOf(file, posix.join(posix.dirname(file), specifier))
      if (!edge) continue
      const graph = graphs.get(edge.parent) ?? new Map<string, Set<string>>()
      graphs.set(edge.parent, graph)
      graph.set(edge.from, (graph.get(edge.from) ?? new Set()).add(edge.to))
    }
  }
  return [...graphs].flatMap(([parent, graph]) =>
    cyclesOf(graph).map((names) => names.map((name) => posix.join(parent, name))),
  )
}

/** One breach per cycle between folders of `src` and `ui`. */
export function checkFolderCycles(sources: readonly SourceFile[]): Breach[] {
  return folderCycles(sources.filter(({ file }) => /^(src|ui)\//.test(file))).map((names) => ({
    file: names[0] ?? '',
    line: 1,
    rule: 'folder cycle',
    reason: `${names.join(', ')} import each other`,
  }))
}

/** The siblings that an import connects, at least one of them a folder. */
function edgeOf(file: string, target: string): { parent: string; from: string; to: string } | undefined {
  const from = file.split('/')
  const to = target.split('/')
  let depth = 0
  while (from[depth] === to[depth] && depth < from.length - 1) depth += 1
  if (depth >= from.length - 1 && depth >= to.length - 1) return undefined
  return { parent: from.slice(0, depth).join('/'), from: from[depth] ?? '', to: to[depth] ?? '' }
}

/** Groups of names that reach each other. */
function cyclesOf(graph: Graph): string[][] {
  const reached = new Map([...graph.keys()].map((name) => [name, reachedFrom(graph, name)]))
  const done = new Set<string>()
  const cycles: string[][] = []
  for (const [name, names] of reached) {
    if (done.has(name) || !names.has(name)) continue
    const cycle = [...names].filter((other) => reached.get(other)?.has(name)).sort()
    for (const each of cycle) done.add(each)
    cycles.push(cycle)
  }
  return cycles
}

function reachedFrom(graph: Graph, start: string): Set<string> {
  const reached = new Set<string>()
  const waiting = [...(graph.get(start) ?? [])]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (reached.has(name)) continue
    reached.add(name)
    waiting.push(...(graph.get(name) ?? []))
  }
  return reached
}
