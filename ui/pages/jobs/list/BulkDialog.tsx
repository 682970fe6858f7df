import { useEffect } from 'preact/hooks'
import { formatNumberOf } from '../../../lib/format.ts'
import { Dialog } from '../../../parts/Dialog.tsx'
import { BookTable } from '../../../parts/table/BookTable.tsx'
import { ScrollRegion } from '../../../plots/ScrollRegion.tsx'
import type { BulkRun } from './bulk.ts'

interface BulkDialogProps {
  title: string
  run: BulkRun
  close: () => void
}

/** Progress of a bulk action and what became of each job. */
export function BulkDialog({ title, run, close }: BulkDialogProps) {
  const outcomes = run.outcomes.value
  const isRunning = run.isRunning.value
  const failed = outcomes.filter(({ isDone }) => !isDone)
  useEffect(() => () => run.stop(), [run])
  return (
    <Dialog title={title} open onClose={close} wide>
      <p role="status">
        {isRunning
          ? `${outcomes.length} of ${run.total} jobs`
          : `${formatNumberOf(outcomes.length - failed.length, 'job')} done, ${failed.length === 0 ? 'none' : failed.length} refused`}
        {!isRunning && outcomes.length < run.total && `, ${run.total - outcomes.length} not started`}.
      </p>
      <progress value={outcomes.length} max={run.total} aria-label="Progress" />
      <ScrollRegion class="scroll tall" label="Outcome of each job">
        <BookTable head={['Job', 'Outcome']}>
          {[...failed, ...outcomes.filter(({ isDone }) => isDone)].map(({ id, isDone, text }) => (
            <tr key={id}>
              <th scope="row">
                <code>{id}</code>
              </th>
              <td class={isDone ? undefined : 'tone-bad'}>
                {isDone ? '✓ ' : '✕ '}
                {text}
              </td>
            </tr>
          ))}
        </BookTable>
      </ScrollRegion>
      <div class="actions">
        {isRunning ? (
          <button type="button" onClick={run.stop}>
            Stop
          </button>
        ) : (
          <button type="button" class="primary" onClick={close}>
            Close
          </button>
        )}
      </div>
    </Dialog>
  )
}
