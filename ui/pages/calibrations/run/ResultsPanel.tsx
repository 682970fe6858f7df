import { formatCount } from '../../../lib/format.ts'
import { Panel } from '../../../parts/Panel.tsx'
import type { RunProgress } from './read-progress.ts'
import { resultsByTarget, type TargetResults } from './results-so-far.ts'

/** Targets of the list; those with failures are the first ones. */
const MAX_TARGETS = 12

/** How the routines ended so far, with the names of those that failed. Values come with the report. */
export function ResultsPanel({ progress, title }: { progress: RunProgress; title: string }) {
  const results = resultsByTarget(progress)
  if (results.length === 0) return <Totals progress={progress} title={title} />
  const ended = results.reduce((sum, one) => sum + one.ended, 0)
  const rest = results.length - MAX_TARGETS
  return (
    <Panel title={title} aside={<span class="soft">{formatCount(ended)} ended</span>}>
      <ul class="results">
        {results.slice(0, MAX_TARGETS).map((result) => (
          <li key={result.target}>
            <strong>{result.target}</strong>
            <Outcomes result={result} />
          </li>
        ))}
        {rest > 0 && <li class="soft">and {formatCount(rest)} more targets</li>}
      </ul>
    </Panel>
  )
}

function Outcomes({ result }: { result: TargetResults }) {
  const { ended, planned, done, blocked, failed, unresolved } = result
  const others = ended - done - blocked - failed.length - unresolved.length
  return (
    <ul>
      {failed.map((routine) => (
        <li key={routine} class="tone-bad">
          ✕ <code>{routine}</code> failed
        </li>
      ))}
      {unresolved.map((routine) => (
        <li key={routine} class="tone-warn">
          ≈ <code>{routine}</code> unresolved, old value kept
        </li>
      ))}
      <li>
        <span class="tone-ok">
          ✓ {formatCount(done)}
          {planned === undefined ? '' : ` of ${formatCount(planned)}`} done
        </span>
        {blocked > 0 && <span class="soft">, ⊘ {formatCount(blocked)} blocked</span>}
        {others > 0 && <span class="soft">, – {formatCount(others)} declined</span>}
      </li>
    </ul>
  )
}

/** What a tuner without outcomes counts. */
function Totals({ progress: { ok, failed, skipped }, title }: { progress: RunProgress; title: string }) {
  if (ok === undefined && failed === undefined && skipped === undefined) return null
  return (
    <Panel title={title}>
      <p class="padded">
        <span class="tone-ok">✓ {formatCount(ok ?? 0)} done</span>,{' '}
        <span class={failed ? 'tone-bad' : 'soft'}>✕ {formatCount(failed ?? 0)} failed</span>,{' '}
        <span class="soft">– {formatCount(skipped ?? 0)} skipped</span>. This tuner does not name them before
        its report.
      </p>
    </Panel>
  )
}
