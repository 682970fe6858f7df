/**
 * Rules that neither the compiler nor Biome checks: layers and faces, order inside folders, banned calls and
 * words, lists that must name every member of a folder, the shape of the tree, and traces of one machine. The
 * rules are in source-rules.ts and source-rules/. Prints `file:line rule — reason` for each breach and exits
 * 1 when there is any.
 *
 * `--metrics` prints the structure of the tree in figures instead, `--lines` its lines and what is allowed
 * (`source-rules/budget.ts`). `--root DIR` is another checkout.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Breach } from './source-checks/breach.ts'
import { budgetReport, checkBudget } from './source-checks/budget.ts'
import { checkCallbacks } from './source-checks/code/callbacks.ts'
import { checkComments } from './source-checks/code/comments.ts'
import { checkPendingReads } from './source-checks/code/pending-reads.ts'
import { checkSql } from './source-checks/code/sql.ts'
import { checkExports } from './source-checks/exports.ts'
import { checkSource, checkText } from './source-checks/file.ts'
import { checkFolderCycles } from './source-checks/folder-cycles.ts'
import { checkOrdersAreComplete } from './source-checks/folder-orders.ts'
import { checkLists } from './source-checks/lists.ts'
import { metricsOf } from './source-checks/metrics.ts'
import { checkNames, checkPath } from './source-checks/names.ts'
import { checkReach } from './source-checks/reach.ts'
import { checkSingle } from './source-checks/single.ts'
import { listFiles, readTree, type SourceFile, type SourceTree } from './source-checks/source-tree.ts'
import { checkTree } from './source-checks/tree.ts'

function byPlace(a: Breach, b: Breach): number {
  return a.file.localeCompare(b.file) || a.line - b.line
}

/** Checks of one source file. */
const FILE_CHECKS: readonly ((source: SourceFile) => Breach[])[] = [
  checkSource,
  checkSingle,
  checkNames,
  ({ file }) => checkPath(file),
  checkComments,
  checkPendingReads,
  checkSql,
]

/** All breaches, sorted by place. */
export function checkAll({ files, texts, sources }: SourceTree): Breach[] {
  return [
    ...[...texts].flatMap(([file, text]) => checkText(file, text)),
    ...sources.flatMap((source) => FILE_CHECKS.flatMap((check) => check(source))),
    ...checkExports(sources),
    ...checkCallbacks(sources),
    ...checkFolderCycles(sources),
    ...checkReach({ texts, sources }),
    ...checkLists(files, (file) => texts.get(file) ?? ''),
    ...checkOrdersAreComplete(files),
    ...checkTree(files),
    ...checkBudget(texts),
  ].sort(byPlace)
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      root: { type: 'string', default: join(import.meta.dir, '..') },
      metrics: { type: 'boolean', default: false },
      lines: { type: 'boolean', default: false },
    },
  })
  const tree = await readTree(values.root, listFiles(values.root))
  if (values.metrics) {
    console.log(metricsOf(tree).join('\n'))
    process.exit()
  }
  if (values.lines) {
    console.log(budgetReport(tree.texts).join('\n'))
    process.exit()
  }
  const breaches = checkAll(tree)
  for (const { file, line, rule, reason } of breaches) console.error(`${file}:${line} ${rule} — ${reason}`)
  if (breaches.length > 0) process.exit(1)
}
