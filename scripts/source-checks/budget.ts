import {
  AREAS,
  type Area,
  COUNTED,
  GENERATED,
  LINE_WIDTH,
  MAX_GENERATED_LINES,
} from '../source-rules/budget.ts'
import type { Breach } from './breach.ts'
import type { SourceTree } from './source-tree.ts'

type Texts = SourceTree['texts']

const linesOf = (text: string) => text.split('\n').length - (text.endsWith('\n') ? 1 : 0)

function countLines(texts: Texts, counts: (file: string) => boolean): number {
  let lines = 0
  for (const [file, text] of texts) if (counts(file)) lines += linesOf(text)
  return lines
}

const isGenerated = (file: string) => GENERATED.some((pattern) => pattern.test(file))
const linesOfPaths = (texts: Texts, paths: readonly string[]) =>
  countLines(texts, (file) => COUNTED.test(file) && paths.some((path) => file.startsWith(path)))

/** Lines that an area may hold. */
const allowedOf = ({ lines, grants }: Area) => grants.reduce((sum, grant) => sum + grant.lines, lines)

/** Areas that hold more lines than `areas` allows, too many generated lines, and a wider line. */
export function checkBudget(texts: Texts, areas = AREAS, maxGenerated = MAX_GENERATED_LINES): Breach[] {
  const place = { file: 'scripts/source-rules/budget.ts', line: 1, rule: 'budget' }
  const breaches = areas.flatMap((area) => {
    const lines = linesOfPaths(texts, area.paths)
    const allowed = allowedOf(area)
    if (lines <= allowed) return []
    const reason = `${area.name} has ${lines} lines, ${allowed} are allowed; make it smaller, or grant them here and say why`
    return [{ ...place, reason }]
  })
  const generated = countLines(texts, isGenerated)
  if (generated > maxGenerated) {
    const reason = `${generated} tracked lines are generated, ${maxGenerated} are allowed; let the build make them`
    breaches.push({ ...place, reason })
  }
  const width = /"lineWidth": (\d+)/.exec(texts.get('biome.json') ?? '')?.[1]
  if (width !== undefined && Number(width) !== LINE_WIDTH) {
    breaches.push({ ...place, file: 'biome.json', reason: `lines are counted at a width of ${LINE_WIDTH}` })
  }
  return breaches
}

/** Lines of each layer, of each area with what it may hold, and of each generated file: one row each. */
export function budgetReport(texts: Texts): string[] {
  const row = (name: string, lines: number, allowed: number | undefined) =>
    `${name.padEnd(24)}${String(lines).padStart(8)}${allowed === undefined ? '' : ` of ${allowed}`}`
  const layers = new Set([...texts.keys()].flatMap((file) => /^src\/[^/]+\//.exec(file)?.[0] ?? []))
  const generated = [...texts].filter(([file]) => isGenerated(file))
  return [
    ...[...layers, 'ui/'].sort().map((path) => row(`  ${path}`, linesOfPaths(texts, [path]), undefined)),
    ...AREAS.map((area) => row(area.name, linesOfPaths(texts, area.paths), allowedOf(area))),
    row('generated', countLines(texts, isGenerated), MAX_GENERATED_LINES),
    ...generated.map(([file, text]) => row(`  ${file} `, linesOf(text), undefined)),
  ]
}
