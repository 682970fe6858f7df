/**
 * Rules that neither the compiler nor Biome checks: layers and faces, order inside folders, banned calls and
 * words, lists that must name every member of a folder, the shape of the tree, and traces of one machine. The
 * rules are in source-rules.ts and source-rules/. Prints `file:line rule — reason` for each breach and exits
 * 1 when there is any.
 *
 * `--words` and `--comments` print the breaches of one rule that is not enforced yet, with their number per
 * top folder, and exit 0. `--metrics` prints the structure of the tree in figures. `--root DIR` is another
 * checkout.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Breach } from './source-checks/breach.ts'
import { checkComments } from './source-checks/comments.ts'
import { checkSource, checkText } from './source-checks/file.ts'
import { checkFolderCycles } from './source-checks/folder-cycles.ts'
import { checkOrdersAreComplete } from './source-checks/folder-orders.ts'
import { checkLists } from './source-checks/lists.ts'
import { metricsOf } from './source-checks/metrics.ts'
import { checkNames, checkPath } from './source-checks/names.ts'
import { checkSingle } from './source-checks/single.ts'
import { listFiles, readTree, type SourceTree } from './source-checks/source-tree.ts'
import { checkTree } from './source-checks/tree.ts'

function byPlace(a: Breach, b: Breach): number {
  return a.file.localeCompare(b.file) || a.line - b.line
}

/** All breaches of the enforced rules, sorted by place. */
export function checkAll({ files, texts, sources }: SourceTree): Breach[] {
  return [
    ...[...texts].flatMap(([file, text]) => checkText(file, text)),
    ...sources.flatMap((source) => [...checkSource(source), ...checkSingle(source)]),
    ...checkFolderCycles(sources),
    ...checkLists(files, (file) => texts.get(file) ?? ''),
    ...checkOrdersAreComplete(files),
    ...checkTree(files),
  ].sort(byPlace)
}

/** Rules that are printed on request, until their number is 0 and they are enforced. */
const PENDING = {
  words: ({ sources }: SourceTree) =>
    sources.flatMap((file) => [...checkPath(file.file), ...checkNames(file)]),
  comments: ({ sources }: SourceTree) => sources.flatMap(checkComments),
} as const

function print(breaches: readonly Breach[]): void {
  for (const { file, line, rule, reason } of breaches) console.error(`${file}:${line} ${rule} — ${reason}`)
}

/** Prints the number of breaches per top folder; those of `src` per layer. */
function printCounts(breaches: readonly Breach[]): void {
  const counts = new Map<string, number>()
  for (const { file } of breaches) {
    const folder = /^(src\/[^/]+|[^/]+)\//.exec(file)?.[1] ?? file
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  for (const [folder, count] of [...counts].sort()) console.log(`${String(count).padStart(5)} ${folder}`)
  console.log(`${String(breaches.length).padStart(5)} in all`)
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      root: { type: 'string', default: join(import.meta.dir, '..') },
      words: { type: 'boolean', default: false },
      comments: { type: 'boolean', default: false },
      metrics: { type: 'boolean', default: false },
    },
  })
  const tree = await readTree(values.root, listFiles(values.root))
  const pending = (['words', 'comments'] as const).filter((name) => values[name])
  for (const name of pending) {
    const breaches = PENDING[name](tree).sort(byPlace)
    print(breaches)
    printCounts(breaches)
  }
  if (values.metrics) console.log(metricsOf(tree).join('\n'))
  if (pending.length === 0 && !values.metrics) {
    const breaches = checkAll(tree)
    print(breaches)
    if (breaches.length > 0) process.exit(1)
  }
}
