import { formatFigure } from '../../../bench/support/figures.ts'
import type { Attack } from '../attack.ts'
import { breaches, type Results, type Side, type Summary, summarize } from './results.ts'

const NOTHING = '–'
const MAX_RESPONSES = 3

const figure = (value: number | undefined) => (value === undefined ? NOTHING : formatFigure(value))
const escaped = (text: string) => text.replaceAll('|', '\\|')
const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

/** Name of the row, stall and memory of both executables, and what other users experienced. */
const COLUMNS = [
  ...['Input', 'Caller', 'Cap', 'Response', 'Stall before', 'after', 'Memory before', 'after'],
  ...['Others’ p50 before', 'after', '× idle', 'Others’ p99 before', 'after'],
] as const
const TEXT_COLUMNS = 4

/** The results as a Markdown table: times in ms, memory in MiB. */
export function markdownTable(attacks: readonly Attack[], results: Results): string {
  const lines = [row(COLUMNS), row(COLUMNS.map((_, at) => (at < TEXT_COLUMNS ? '---' : '---:')))]
  const { before: idleBefore, after: idleAfter } = results.idle
  lines.push(
    row([
      ...['none: the idle server', NOTHING, NOTHING, NOTHING],
      ...[figure(idleBefore?.stall), figure(idleAfter?.stall), NOTHING, NOTHING],
      ...[figure(idleBefore?.median), figure(idleAfter?.median), NOTHING],
      ...[figure(idleBefore?.p99), figure(idleAfter?.p99)],
    ]),
  )
  for (const attack of attacks) {
    const before = summaryOf(results, 'before', attack)
    const after = summaryOf(results, 'after', attack)
    if (!before && !after) continue
    lines.push(
      row([
        ...[escaped(attack.input), attack.who, escaped(attack.cap), responsesOf(after ?? before)],
        ...[stallOf(before), stallOf(after), memoryOf(before), memoryOf(after)],
        ...[figure(before?.median), figure(after?.median), figure(after?.slowdown)],
        ...[figure(before?.p99), figure(after?.p99)],
      ]),
    )
  }
  return `${lines.join('\n')}\n`
}

function summaryOf({ attacks }: Results, side: Side, { name }: Attack): Summary | undefined {
  return summarize(attacks[side][name])
}

function stallOf(summary: Summary | undefined): string {
  if (!summary) return NOTHING
  return summary.isDead ? 'no response within 30 s' : figure(summary.stall)
}

/** Peak, and what stays in use afterwards. */
function memoryOf(summary: Summary | undefined): string {
  if (!summary) return NOTHING
  const [peak, kept] = [summary.peakMemory, summary.retainedMemory].map((mib) => Math.max(0, Math.round(mib)))
  return `${peak} (${kept})`
}

function responsesOf(summary: Summary | undefined): string {
  const sorted = Object.entries(summary?.responses ?? {}).sort(([, a], [, b]) => b - a)
  return sorted
    .slice(0, MAX_RESPONSES)
    .map(([result]) => (result === '0' ? 'closed' : result))
    .join(', ')
}

/** One line on an attack for the console. */
export function lineOf(attack: Attack, summary: Summary): string {
  const { stall, busy, median, slowdown, p99, peakMemory, retainedMemory, log, failed } = summary
  const broken = breaches(attack, summary)
  const parts = [
    `stall ${figure(stall)} ms (busy ${figure(busy)})`,
    `others p50 ${figure(median)} ms (${figure(slowdown)} × idle), p99 ${figure(p99)} ms`,
    `memory +${Math.round(peakMemory)} (+${Math.round(retainedMemory)}) MiB`,
    ...(log > 1 ? [`log ${figure(log)} KiB`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    `responses ${JSON.stringify(summary.responses)}`,
  ]
  return `${broken.length > 0 ? '✗' : '✓'} ${attack.name}: ${parts.join('; ')}`
}
