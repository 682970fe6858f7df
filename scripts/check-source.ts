// Rules that neither the compiler nor Biome knows: layers and faces, order inside folders, banned calls,
// lists that must name every file of a folder, and traces of one machine. The rules are in source-rules.ts.
// Prints `file:line rule — reason` for each breach and exits 1 when there is any.
import { join, posix } from 'node:path'
import { FOLDER_ORDERS, type FolderOrder } from './source-rules/folder-orders.ts'
import { BANNED_CALLS, BANNED_MODULES, BANNED_TEXTS, LAYERS, LISTS } from './source-rules.ts'
import { codeOf, type ImportSite, importsOf, lineOf } from './source-text.ts'

/** A breach of a rule. */
export interface Breach {
  file: string
  /** Counted from 1. */
  line: number
  rule: string
  reason: string
}

type Complaint = Omit<Breach, 'file' | 'line'>

const SOURCE = /\.(ts|tsx|mts|js|jsx|mjs)$/
const ORDERS_FILE = 'scripts/source-rules/folder-orders.ts'
const CHECKED = /^(src|ui|scripts|bench|tests|docs)\//

function srcLayerOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1]
}

/** Whether layer and face rules allow `file` to import the file `target`. */
function checkLayer(file: string, target: string): Complaint | undefined {
  const layer = LAYERS.find(({ path }) => file.startsWith(path))
  if (!layer) return { rule: 'layer', reason: `${file} belongs to no layer of source-rules.ts` }
  if (layer.imports === 'any') return undefined
  const other = srcLayerOf(target)
  if (target.startsWith(layer.path)) {
    const face = `${layer.path}index.ts`
    if (target !== face || other === undefined) return undefined
    return { rule: 'face', reason: `inside ${layer.path} import the file itself, not the face` }
  }
  if (other === undefined) {
    if (layer.files?.some((prefix) => target.startsWith(prefix))) return undefined
    return { rule: 'layer', reason: `${layer.path} may not import ${target}` }
  }
  if (!layer.imports.includes(other)) {
    const allowed = layer.imports.length === 0 ? 'packages' : layer.imports.join(', ')
    return { rule: 'layer', reason: `${layer.path} may import only ${allowed}, not src/${other}` }
  }
  if (target === `src/${other}/index.ts`) return undefined
  return { rule: 'face', reason: `import src/${other}/index.ts instead of ${target}` }
}

/** The entry of the ordered folder that holds the file: a subfolder, or the name of a file directly in it. */
function entryOf(folder: string, file: string): { name: string; isFile: boolean } {
  const [name = '', ...below] = file.slice(folder.length + 1).split('/')
  return { name, isFile: below.length === 0 }
}

/** The step of an entry, `shared` for files open to all, or undefined for an entry that the order does not name. */
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
export function checkOrder(order: FolderOrder, file: string, target: string): Complaint | undefined {
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

function checkImport(file: string, { specifier }: ImportSite): Complaint[] {
  const complaints = BANNED_MODULES.filter(
    ({ where, pattern }) => where.test(file) && pattern.test(specifier),
  ).map(({ reason }) => ({ rule: `module ${specifier}`, reason }))
  if (!specifier.startsWith('.')) return complaints
  const target = posix.join(posix.dirname(file), specifier)
  const orders = FOLDER_ORDERS.map((order) => checkOrder(order, file, target))
  return [...complaints, checkLayer(file, target), ...orders].filter((complaint) => complaint !== undefined)
}

/** Breaches inside one source file: imports and banned calls. */
export function checkFile(file: string, source: string): Breach[] {
  const code = codeOf(source)
  const imports = importsOf(source, code).flatMap((site) =>
    checkImport(file, site).map((complaint) => ({ file, line: site.line, ...complaint })),
  )
  const calls = BANNED_CALLS.filter(({ where }) => where.test(file)).flatMap(({ pattern, reason }) =>
    [...code.matchAll(pattern)].map((match) => ({
      file,
      line: lineOf(code, match.index),
      rule: `banned ${match[0].replace(/\s*([.()])\s*/g, '$1').replace(/\($/, '')}`,
      reason,
    })),
  )
  return [...imports, ...calls]
}

/** Breaches in the text of any tracked file: traces of one machine or one registry. */
export function checkText(file: string, text: string): Breach[] {
  return BANNED_TEXTS.filter(({ where }) => where.test(file)).flatMap(({ pattern, reason }) =>
    [...text.matchAll(pattern)].map((match) => ({
      file,
      line: lineOf(text, match.index + match[0].search(/\S/)),
      rule: `text ${match[0].trim()}`,
      reason,
    })),
  )
}

/** Entries of listed folders that their list does not import. `read` gives the text of a file. */
export function checkLists(files: readonly string[], read: (file: string) => string): Breach[] {
  return LISTS.flatMap(({ list, folder }) => {
    const entries = new Set<string>()
    for (const file of files) {
      if (!file.startsWith(folder) || !SOURCE.test(file) || file === list) continue
      const [entry = '', ...below] = file.slice(folder.length).split('/')
      entries.add(below.length === 0 ? `${folder}${entry}` : `${folder}${entry}/index.ts`)
    }
    if (entries.size === 0) return []
    const source = files.includes(list) ? read(list) : ''
    const imported = new Set(
      importsOf(source, codeOf(source)).map(({ specifier }) => posix.join(posix.dirname(list), specifier)),
    )
    return [...entries]
      .filter((entry) => !imported.has(entry))
      .map((entry) => ({ file: list, line: 1, rule: 'list', reason: `${entry} is not in the list` }))
  })
}

/** All breaches among `files`, given as paths relative to `root`, sorted by place. */
export async function checkAll(root: string, files: readonly string[]): Promise<Breach[]> {
  const texts = new Map<string, string>()
  await Promise.all(
    files.map(async (file) => {
      const handle = Bun.file(join(root, file))
      const isText = handle.size > 0 && !/\.(png|woff2?|ttf|ico|gz|br|zip|pdf|db)$/.test(file)
      if (isText && (await handle.exists())) texts.set(file, await handle.text())
    }),
  )
  const present = [...texts.keys()]
  const breaches = present.flatMap((file) => {
    const text = texts.get(file) ?? ''
    const isSource = SOURCE.test(file) && CHECKED.test(file)
    return [...checkText(file, text), ...(isSource ? checkFile(file, text) : [])]
  })
  breaches.push(...checkLists(present, (file) => texts.get(file) ?? ''), ...checkOrdersAreComplete(present))
  return breaches.sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line)
}

/** Tracked files and new ones that are not ignored, relative to `root`. */
function filesOf(root: string): string[] {
  const listing = Bun.spawnSync(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  })
  if (!listing.success) throw new Error(`git ls-files failed: ${listing.stderr}; run this in a git checkout`)
  return [...new Set(listing.stdout.toString().split('\0'))].filter((file) => file !== '')
}

if (import.meta.main) {
  const root = join(import.meta.dir, '..')
  const breaches = await checkAll(root, filesOf(root))
  for (const { file, line, rule, reason } of breaches) console.error(`${file}:${line} ${rule} — ${reason}`)
  if (breaches.length > 0) process.exit(1)
}
