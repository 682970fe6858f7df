/** A routine in the graph of a plan. */
interface GraphNode {
  key: string
  lane: number
  /** Row of the routine to which it is connected. */
  parent: number | undefined
  state: 'over' | 'present' | 'ahead'
  /** Drawn as a square. */
  isBenchmark: boolean
  faded: boolean
}

interface PlanGraphProps {
  nodes: readonly GraphNode[]
  /** Height of one row, px. */
  row: number
  /** Number of other rows, such as headings, before or above each row. */
  shifts?: readonly number[]
}

const LANE = 11
const START = 10

/** Width of a graph with this many lanes, px. */
function graphWidth(lanes: number): number {
  return START * 2 + Math.max(0, lanes - 1) * LANE
}

/** The graph of a plan beside its rows, like that of commits: lanes for branches, squares for benchmarks. */
export function PlanGraph({ nodes, row, shifts = [] }: PlanGraphProps) {
  const lanes = Math.max(1, ...nodes.map(({ lane }) => lane + 1))
  const x = (lane: number) => START + lane * LANE
  const y = (at: number) => row * (at + (shifts[at] ?? 0) + 0.5)
  return (
    <svg
      class="plan-graph"
      aria-hidden="true"
      width={graphWidth(lanes)}
      height={row * (nodes.length + (shifts.at(-1) ?? 0))}
    >
      {nodes.map(({ key, lane, parent, faded }, at) => {
        const origin = parent === undefined ? undefined : nodes[parent]
        if (parent === undefined || !origin) return null
        const [x0, x1] = [x(origin.lane), x(lane)]
        const bend =
          x0 === x1
            ? `M${x0} ${y(parent)}`
            : `M${x0} ${y(parent)}H${x1 - 6}Q${x1} ${y(parent)} ${x1} ${y(parent) + 6}`
        return <path key={key} class={faded ? 'faded' : undefined} d={`${bend}V${y(at)}`} />
      })}
      {nodes.map(({ key, lane, state, isBenchmark, faded }, at) => {
        const classes = `${state}${faded ? ' faded' : ''}`
        return isBenchmark ? (
          <rect key={key} class={classes} x={x(lane) - 4} y={y(at) - 4} width={8} height={8} />
        ) : (
          <circle key={key} class={classes} cx={x(lane)} cy={y(at)} r={state === 'present' ? 5 : 4} />
        )
      })}
    </svg>
  )
}
