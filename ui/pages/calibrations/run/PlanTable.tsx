import { useSignal } from '@preact/signals'
import { Panel } from '../../../parts/Panel.tsx'
import { PlanGraph } from '../../../plots/fit/PlanGraph.tsx'
import { isEdge, sortTargets } from '../reading/targets.ts'
import { roughly } from '../words.ts'
import type { Block } from './expected-time.ts'
import { placeInLanes, relatedRows } from './lanes.ts'
import { RowTargets } from './RowTargets.tsx'
import { type CellState, cellState, presentRow, type RunProgress } from './read-progress.ts'
import { STATES } from './states.ts'

/** More columns than this are grouped by result. */
const MAX_COLUMNS = 12
/** Height of a row, px; the graph beside the table depends on it. */
const ROW = 26

interface PlanTableProps {
  progress: RunProgress
  blocks: readonly Block[]
}

/** The plan of a run as a graph, with the state of each routine on each target. */
export function PlanTable({ progress, blocks }: PlanTableProps) {
  const focused = useSignal<number | undefined>(undefined)
  const opened = useSignal<number | undefined>(undefined)
  const { plan } = progress
  const placed = placeInLanes(plan)
  const present = presentRow(progress)
  const related = focused.value === undefined ? undefined : relatedRows(plan, focused.value)
  const targets = sortTargets(plan.flatMap((planned) => [...planned.targets]))
  const groups = [targets.filter((name) => !isEdge(name)), targets.filter(isEdge)].filter(
    ({ length }) => length > 0,
  )
  const isWide = groups.some(({ length }) => length > MAX_COLUMNS)
  const columns = isWide ? 1 : Math.max(1, ...groups.map(({ length }) => length))
  const edgeRows = plan.findIndex((planned) => planned.targets.length > 0 && planned.targets.every(isEdge))
  const headers = plan.map((_, row) => (row === edgeRows && row > 0 ? 1 : 0))
  const shiftOf = (row: number) => headers.slice(0, row + 1).reduce<number>((sum, one) => sum + one, 0)
  const found = new Set(
    plan.flatMap(({ targets: names }, row) => names.map((name) => cellState(progress, row, name))),
  )
  const seconds = new Map(blocks.map((block) => [block.routine, block.seconds]))
  return (
    <Panel
      title="Plan"
      aside={
        <span class="soft">
          {plan.length} routines, {targets.length} targets
        </span>
      }
    >
      <div class="plan scroll">
        <div
          class="plan-grid"
          style={{
            gridTemplateColumns: `auto minmax(9.5rem, 1fr) repeat(${columns}, minmax(2.6rem, auto)) auto`,
          }}
        >
          <GraphColumn
            nodes={plan.map(({ routine, isBenchmark }, row) => ({
              key: `${routine}-${row}`,
              lane: placed[row]?.lane ?? 0,
              parent: placed[row]?.parent,
              state: row < present ? 'over' : row === present ? 'present' : 'ahead',
              isBenchmark,
              faded: related !== undefined && !related.has(row),
            }))}
            shifts={plan.map((_, row) => shiftOf(row))}
          />
          <Head
            row={1}
            names={edgeRows === 0 ? (groups.at(-1) ?? []) : (groups[0] ?? [])}
            isWide={isWide}
            columns={columns}
          />
          {edgeRows > 0 && (
            <Head row={edgeRows + 2} names={groups.at(-1) ?? []} isWide={isWide} columns={columns} />
          )}
          {plan.map((planned, row) => {
            const line = row + 2 + shiftOf(row)
            const classes = [
              'plan-row',
              row === present && 'present',
              related && !related.has(row) && 'faded',
            ]
            const names = row >= edgeRows && edgeRows >= 0 ? (groups.at(-1) ?? []) : (groups[0] ?? [])
            return (
              <button
                key={planned.routine + row}
                type="button"
                class={classes.filter(Boolean).join(' ')}
                style={{ gridRow: line }}
                aria-expanded={isWide ? opened.value === row : undefined}
                onClick={() => (opened.value = opened.value === row ? undefined : row)}
                onFocus={() => (focused.value = row)}
                onBlur={() => (focused.value = undefined)}
                onMouseEnter={() => (focused.value = row)}
                onMouseLeave={() => (focused.value = undefined)}
              >
                <span class="plan-name">
                  <span aria-hidden="true">{planned.routine}</span>
                  <span class="unseen">{describeRow(progress, row)}</span>
                </span>
                {isWide ? (
                  <span aria-hidden="true">
                    <Grouped states={planned.targets.map((name) => cellState(progress, row, name))} />
                  </span>
                ) : (
                  Array.from({ length: columns }, (_, at) => {
                    const name = names[at]
                    const isPlanned = name !== undefined && planned.targets.includes(name)
                    return <Cell key={at} state={isPlanned ? cellState(progress, row, name) : undefined} />
                  })
                )}
                <span class="number soft">{timeText(seconds.get(planned.routine))}</span>
              </button>
            )
          })}
        </div>
      </div>
      {isWide &&
        (opened.value === undefined ? (
          <p class="padded soft">Press a routine to read the names of its targets.</p>
        ) : (
          <RowTargets progress={progress} row={opened.value} />
        ))}
      <ul class="cluster padded plan-key">
        {(Object.keys(STATES) as CellState[])
          .filter((state) => found.has(state))
          .map((state) => (
            <li key={state} class={`tone-${STATES[state][2]}`}>
              <span aria-hidden="true">{STATES[state][0]}</span> {STATES[state][1]}
            </li>
          ))}
        {plan.some(({ isBenchmark }) => isBenchmark) && <li class="soft">□ benchmark, writes nothing</li>}
      </ul>
    </Panel>
  )
}

function timeText(seconds: number | undefined): string {
  return seconds === undefined ? '' : `≈ ${roughly(seconds)}`
}

function describeRow(progress: RunProgress, row: number): string {
  const planned = progress.plan[row]
  if (!planned) return ''
  const states = planned.targets
    .slice(0, MAX_COLUMNS)
    .map((name) => `${name} ${STATES[cellState(progress, row, name)][1]}`)
  return [planned.routine, ...states].join(', ')
}

function GraphColumn({
  nodes,
  shifts,
}: {
  nodes: Parameters<typeof PlanGraph>[0]['nodes']
  shifts: readonly number[]
}) {
  return (
    <div class="plan-lanes" style={{ gridRow: `2 / span ${nodes.length + (shifts.at(-1) ?? 0)}` }}>
      <PlanGraph nodes={nodes} row={ROW} shifts={shifts} />
    </div>
  )
}

interface HeadProps {
  row: number
  names: readonly string[]
  isWide: boolean
  columns: number
}

function Head({ row, names, isWide, columns }: HeadProps) {
  return (
    <div class="plan-head" style={{ gridRow: row }} aria-hidden="true">
      <span>{row === 1 ? 'Routine' : ''}</span>
      {Array.from({ length: columns }, (_, at) => (
        <span key={at} class="mid">
          {isWide ? `${names.length} targets` : (names[at] ?? '')}
        </span>
      ))}
      <span class="number">{row === 1 ? 'Time' : ''}</span>
    </div>
  )
}

function Cell({ state }: { state: CellState | undefined }) {
  if (!state) return <span />
  const [mark, , tone] = STATES[state]
  return (
    <span aria-hidden="true" class={`mid tone-${tone}${state === 'failed' ? ' framed' : ''}`}>
      {mark}
    </span>
  )
}

function Grouped({ states }: { states: readonly CellState[] }) {
  return (
    <>
      {(Object.keys(STATES) as CellState[]).map((state) => {
        const count = states.filter((one) => one === state).length
        return count === 0 ? null : (
          <span key={state} class={`tone-${STATES[state][2]}`}>
            {STATES[state][0]} {count}{' '}
          </span>
        )
      })}
    </>
  )
}
