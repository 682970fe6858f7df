import { FOLDER_ORDERS, type FolderOrder } from '../source-rules/folder-orders.ts'
import type { Breach, Finding } from './breach.ts'

const SOURCE = /\.(ts|tsx|mts|js|jsx|mjs)$/
const ORDERS_FILE = 'scripts/source-rules/folder-orders.ts'

/** The entry of the ordered folder that holds the file: a subfolder, or the name of a file directly in it. */
function entryOf(folder: string, file: string): { name: string; isFile: boolean } {
  const [name = '', ...below] = file.slice(folder.length + 1).split('/')
  return { name, isFile: below.length === 0 }
}

/**
 * The step of an entry, `shared` for files open to all, or undefined for an entry that the order does not
 * name.
 */
function stepOf(
  { steps, sharedFilesReach }: FolderOrder,
  name: string,
  isFile: boolean,
): number | 'shared' | undefined {
  const named = steps.findIndex((step) => step.includes(name))
  if (named >= 0) return named
  if (isFile && name === 'index.ts') return steps.length
  if (isFile) return sharedFilesReach === undefined ? undefined : 'shared'
  const others = steps.findIndex((step) => step.includes('*'))
  return others >= 0 ? others : undefined
}

/** Whether an order of folders allows `file` to import the file `target`. */
export function checkOrder(order: FolderOrder, file: string, target: string): Finding | undefined {
  const { folder, steps, sharedFilesReach } = order
  if (!file.startsWith(`${folder}/`) || !target.startsWith(`${folder}/`)) return undefined
  const from = entryOf(folder, file)
  const to = entryOf(folder, target)
  if (from.name === to.name) return undefined
  const toStep = stepOf(order, to.name, to.isFile)
  const fromStep = stepOf(order, from.name, from.isFile)
  if (fromStep === undefined || toStep === undefined || toStep === 'shared') return undefined
  const reach =
    fromStep === 'shared' ? steps.findIndex((step) => step.includes(sharedFilesReach ?? '')) : fromStep
  const text = `${folder}: ${steps.map((step) => step.join(', ').replace('*', 'others')).join(' < ')} < index.ts`
  if (toStep > reach)
    return { rule: 'folder order', reason: `${to.name} comes after ${from.name} in ${text}` }
  const isOpen = fromStep === 'shared' || toStep < reach || steps[toStep]?.includes('*')
  if (isOpen) return undefined
  return { rule: 'folder order', reason: `${to.name} and ${from.name} share a step of ${text}` }
}

/**
 * Entries of ordered folders that the order does not name, each reported once at its first file, and names in
 * the order without an entry. A folder without files has no breaches.
 */
export function checkOrdersAreComplete(files: readonly string[], orders = FOLDER_ORDERS): Breach[] {
  return orders.flatMap((order) => {
    const entries = new Map<string, { file: string; isFile: boolean }>()
    for (const file of files) {
      if (!SOURCE.test(file) || !file.startsWith(`${order.folder}/`)) continue
      const { name, isFile } = entryOf(order.folder, file)
      if (!entries.has(name)) entries.set(name, { file, isFile })
    }
    if (entries.size === 0) return []
    const place = `the order of ${order.folder} in ${ORDERS_FILE}`
    const unnamed = [...entries].flatMap(([name, { file, isFile }]) =>
      stepOf(order, name, isFile) === undefined ? [{ file, reason: `name ${name} in ${place}` }] : [],
    )
    const absent = order.steps
      .flat()
      .flatMap((name) =>
        name === '*' || entries.has(name)
          ? []
          : [{ file: ORDERS_FILE, reason: `${name} is not in ${order.folder}` }],
      )
    return [...unnamed, ...absent].map(({ file, reason }) => ({
      file,
      line: 1,
      rule: 'folder order',
      reason,
    }))
  })
}
