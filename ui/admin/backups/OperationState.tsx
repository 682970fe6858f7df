import { Moment } from '../../parts/Moment.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Status } from '../../parts/Status.tsx'
import { formatBytes, type Operation, titleOf } from './model.ts'

interface OperationStateProps {
  operation: Operation
  /** Whether the server refuses requests or does not respond at the moment. */
  isUnreachable: boolean
}

/** The operation that runs, or the outcome of the last one. */
export function OperationState({ operation, isUnreachable }: OperationStateProps) {
  const { state, step, written_bytes: written, started, ended, error, findings } = operation
  return (
    <Panel title={titleOf(operation)} aside={<State operation={operation} />}>
      <div class="padded operation" role="status">
        {state === 'running' && (
          <>
            <progress aria-label={titleOf(operation)} />
            <p>
              {isUnreachable
                ? 'The server refuses requests while it replaces the database; this page waits for it.'
                : `Step: ${step}`}
              {written !== null && `, ${formatBytes(written)} written`}
            </p>
          </>
        )}
        {error && <p class="tone-bad">{error}</p>}
        {findings.length > 0 && (
          <ul>
            {findings.map(({ id, text, rows }) => (
              <li key={id}>
                {text} ({rows})
              </li>
            ))}
          </ul>
        )}
        <p class="soft">
          Started <Moment at={started} />
          {ended && (
            <>
              , ended <Moment at={ended} />
            </>
          )}
        </p>
      </div>
    </Panel>
  )
}

function State({ operation: { state } }: { operation: Operation }) {
  if (state === 'running') return <Status tone="run" glyph="play" word="Running" />
  return state === 'succeeded' ? (
    <Status tone="ok" glyph="check" word="Succeeded" />
  ) : (
    <Status tone="bad" glyph="cross" word="Failed" />
  )
}
