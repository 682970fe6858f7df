import { sortTargets } from '../reading/targets.ts'
import { cellState, type RunProgress } from './read-progress.ts'
import { BY_URGENCY, STATES } from './states.ts'

/** The targets of one routine by their state, for plans with more targets than columns. */
export function RowTargets({ progress, row }: { progress: RunProgress; row: number }) {
  const planned = progress.plan[row]
  if (!planned) return null
  const inState = (state: (typeof BY_URGENCY)[number]) =>
    sortTargets(planned.targets.filter((name) => cellState(progress, row, name) === state))
  return (
    <section class="row-targets" aria-live="polite">
      <h3>{planned.routine}</h3>
      <dl>
        {BY_URGENCY.map((state) => {
          const names = inState(state)
          const [mark, word, tone] = STATES[state]
          return names.length === 0 ? null : (
            <div key={state}>
              <dt class={`tone-${tone}`}>
                <span aria-hidden="true">{mark}</span> {word}
              </dt>
              <dd>{names.join(', ')}</dd>
            </div>
          )
        })}
      </dl>
    </section>
  )
}
