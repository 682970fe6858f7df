import { Panel } from '../../../parts/Panel.tsx'
import { countOutcomes, type ReadReport } from '../reading/read-report.ts'
import { OUTCOMES } from './marks.tsx'

interface RoutineListProps {
  report: ReadReport
  selected: string
  select: (routine: string) => void
}

/** The routines of a report with the number of targets by outcome. */
export function RoutineList({ report, selected, select }: RoutineListProps) {
  return (
    <Panel title="Routines" aside={<span class="soft">outcome per target</span>}>
      <ul class="routines">
        {report.routines.map((routine) => {
          const counts = countOutcomes(report.results.filter((result) => result.routine === routine))
          return (
            <li key={routine}>
              <button
                type="button"
                aria-pressed={routine === selected}
                tabIndex={routine === selected ? 0 : -1}
                data-routine={routine}
                onClick={() => select(routine)}
              >
                <span>{routine}</span>
                <span>
                  {OUTCOMES.map(([outcome, mark, word, tone]) =>
                    counts[outcome] === 0 ? null : (
                      <span key={outcome} class={tone}>
                        <span aria-hidden="true">{mark}</span> {counts[outcome]}
                        <span class="unseen"> {word}</span>{' '}
                      </span>
                    ),
                  )}
                </span>
              </button>
            </li>
          )
        })}
      </ul>
    </Panel>
  )
}
