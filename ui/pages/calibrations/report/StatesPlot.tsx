import { formatCount } from '../../../lib/format.ts'
import { BookTable, numberHeads } from '../../../parts/table/BookTable.tsx'
import { STATE_MARKS, StateClouds } from '../../../plots/fit/StateClouds.tsx'
import type { StatesFit } from '../reading/read-fit.ts'

/** Prepared states in the IQ plane, and how often each is read as another. */
export function StatesPlot({ fit, label }: { fit: StatesFit; label: string }) {
  const { states, centroids, unit, assignment } = fit
  const shots = Math.max(...states.map(({ i }) => i.length))
  return (
    <>
      <StateClouds
        label={`${label}: shots of ${states.length} prepared states in the IQ plane`}
        states={states}
        centroids={centroids}
        unit={unit}
      />
      {assignment.length > 0 && (
        <BookTable
          head={['Prepared', ...numberHeads(assignment.map((_, read) => `→ ${states[read]?.label ?? read}`))]}
        >
          {assignment.map((row, prepared) => (
            <tr key={prepared}>
              <th scope="row">{states[prepared]?.label ?? prepared}</th>
              {row.map((share, read) => (
                <td key={read} class="number">
                  {read === prepared ? <b>{share.toFixed(3)}</b> : share.toFixed(3)}
                </td>
              ))}
            </tr>
          ))}
        </BookTable>
      )}
      <p class="hint">
        Marks: {states.map((state, at) => `${STATE_MARKS[at % 3]} ${state.label}`).join(', ')}.{' '}
        {formatCount(shots)} shots of each are shown.
        {centroids.length > 1 && ' Dashed: decision lines.'}
      </p>
    </>
  )
}
