import { posix } from 'node:path'
import { FEATURE_IMPORTS, STORE_INDEXES } from '../source-rules/features.ts'
import { FOLDER_ORDERS } from '../source-rules/folder-orders.ts'
import { BANNED_MODULES, LAYERS, SEPARATIONS } from '../source-rules.ts'
import type { ImportSite } from '../source-text.ts'
import type { Finding } from './breach.ts'
import { checkOrder } from './folder-orders.ts'

function srcLayerOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1]
}

/** What other layers may import: one index for each layer, and one for each feature of the store. */
const FACE = new RegExp(`^src/([^/]+|db/(${STORE_INDEXES.join('|')}))/index\\.ts$`)

/** Whether layer and face rules allow `file` to import the file `target`. */
function checkLayer(file: string, target: string): Finding | undefined {
  const layer = LAYERS.find(({ path }) => file.startsWith(path))
  if (!layer) return { rule: 'layer', reason: `${file} belongs to no layer of source-rules.ts` }
  if (layer.imports === 'any') return undefined
  const other = srcLayerOf(target)
  if (target.startsWith(layer.path)) {
    if (!FACE.test(target) || other === undefined) return undefined
    return { rule: 'face', reason: `inside ${layer.path} import the file itself, not the face` }
  }
  if (layer.files?.some((prefix) => target.startsWith(prefix))) return undefined
  if (other === undefined) return { rule: 'layer', reason: `${layer.path} may not import ${target}` }
  if (!layer.imports.includes(other)) {
    const allowed = layer.imports.length === 0 ? 'packages' : layer.imports.join(', ')
    return { rule: 'layer', reason: `${layer.path} may import only ${allowed}, not src/${other}` }
  }
  if (target === `src/${other}/index.ts`) return undefined
  if (FACE.test(target)) return checkFeature(file, target)
  const faces = other === 'db' ? 'an index of src/db' : `src/${other}/index.ts`
  return { rule: 'face', reason: `import ${faces} instead of ${target}` }
}

/** Whether a feature of the server names the index of the store that it imports. */
function checkFeature(file: string, target: string): Finding | undefined {
  const own = FEATURE_IMPORTS.filter(({ path }) => file.startsWith(path)).at(-1)
  if (!own || own.uses.some((name) => target === `src/db/${name}/index.ts`)) return undefined
  const reason = `${own.path} does not name ${target} in scripts/source-rules/features.ts`
  return { rule: 'feature', reason }
}

/** Whether the two files belong to parts of the tree that do not import each other. */
function checkSeparations(file: string, target: string): Finding[] {
  const isIn = (prefixes: readonly string[], path: string) =>
    prefixes.some((prefix) => path.startsWith(prefix))
  return SEPARATIONS.filter(
    ({ between, and }) =>
      (isIn(between, file) && isIn(and, target)) || (isIn(and, file) && isIn(between, target)),
  ).map(({ reason }) => ({ rule: 'separation', reason: `${file} may not import ${target}: ${reason}` }))
}

/** Breaches of layers, faces, orders, separations and banned modules by one import. */
export function checkImport(file: string, { specifier }: ImportSite): Finding[] {
  const findings = BANNED_MODULES.filter(
    ({ where, pattern }) => where.test(file) && pattern.test(specifier),
  ).map(({ reason }) => ({ rule: `module ${specifier}`, reason }))
  if (!specifier.startsWith('.')) return findings
  const target = posix.join(posix.dirname(file), specifier)
  const orders = FOLDER_ORDERS.map((order) => checkOrder(order, file, target))
  const separated = checkSeparations(file, target)
  return [...findings, checkLayer(file, target), ...orders, ...separated].filter(
    (finding) => finding !== undefined,
  )
}
