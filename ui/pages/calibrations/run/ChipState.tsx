import { isEdge, sortTargets } from '../reading/targets.ts'
import { cellState, presentRow, type RunProgress } from './read-progress.ts'

/** Maximum number of targets that are drawn one by one. */
const MAX_DRAWN = 60

/** The qubits of a run, each with its worst state. */
export function ChipState({ progress }: { progress: RunProgress }) {
  const qubits = sortTargets(progress.plan.flatMap(({ targets }) => [...targets])).filter(
    (name) => !isEdge(name),
  )
  if (qubits.length === 0 || qubits.length > MAX_DRAWN) return null
  return (
    <ul class="cluster chip-state" aria-label="State of each qubit">
      {qubits.map((name) => {
        const { tone, text } = stateOf(progress, name)
        return (
          <li key={name} class={`state-${tone}`}>
            <b>{name}</b>
            <span>{text}</span>
          </li>
        )
      })}
    </ul>
  )
}

function stateOf(progress: RunProgress, qubit: string): { tone: string; text: string } {
  const rows = progress.plan.map(({ targets }, row) => ({ row, isMine: targets.includes(qubit) }))
  const mine = rows.filter(({ isMine }) => isMine).map(({ row }) => cellState(progress, row, qubit))
  const present = presentRow(progress)
  const ended = mine.filter((state) => state !== 'planned' && state !== 'running').length
  if (mine.includes('failed')) return { tone: 'bad', text: 'failed' }
  if (mine.includes('running')) return { tone: 'run', text: 'running' }
  const unresolved = mine.filter((state) => state === 'unresolved').length
  if (unresolved > 0) return { tone: 'warn', text: `${unresolved} unresolved` }
  return { tone: present > 0 ? 'ok' : 'idle', text: `${ended} of ${mine.length}` }
}
