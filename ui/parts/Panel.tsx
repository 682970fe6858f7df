import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { ApiError } from '../api/api.ts'
import type { Resource } from '../api/resource.ts'

interface PanelProps {
  title: string
  /** Sits at the right end of the heading. */
  aside?: ComponentChildren
  children: ComponentChildren
}

/** A titled part of a page. */
export function Panel({ title, aside, children }: PanelProps) {
  const id = useId()
  return (
    <section class="panel" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  )
}

interface LoadedProps<T> {
  of: Resource<T>
  /** Completes "Could not …": what the reading was for. */
  task: string
  /** Rows that the content usually takes, so that nothing jumps when it arrives. */
  rows: number
  children: (value: T) => ComponentChildren
}

/** Shows a resource in each of its states: loading, failed, or there (also when a later reading failed). */
export function Loaded<T>({ of, task, rows, children }: LoadedProps<T>) {
  const value = of.value.value
  const error = of.error.value
  return (
    <>
      {error && <ErrorBox error={error} task={task} retry={() => void of.load()} />}
      {value !== undefined ? children(value) : !error && <Skeleton rows={rows} />}
    </>
  )
}

/** What failed, in the server's words, with a way to try again. */
export function ErrorBox({ error, task, retry }: { error: ApiError; task: string; retry?: () => void }) {
  return (
    <div class="notice tone-bad" role="alert">
      <p>
        <strong>Could not {task}.</strong> {error.message}
        {/[.!?]$/.test(error.message) ? '' : '.'}
        {error.requestId && (
          <small>
            {' '}
            Request <code>{error.requestId}</code>
          </small>
        )}
      </p>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}

/** Grey bars in place of what is being read. */
function Skeleton({ rows }: { rows: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="unseen">Loading</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} aria-hidden="true" />
      ))}
    </div>
  )
}

/** One sentence and one thing to do. */
export function Empty({ children, action }: { children: ComponentChildren; action?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>{children}</p>
      {action}
    </div>
  )
}
