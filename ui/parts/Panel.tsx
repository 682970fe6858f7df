import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { ApiError } from '../api/api.ts'
import type { Resource } from '../api/resource.ts'

/**
 * Heading of a page. Its `h1` receives the focus after a navigation. A lead that is not known yet keeps its
 * line, so that what is below does not move when it comes.
 */
export function Heading(props: {
  title: ComponentChildren
  lead?: ComponentChildren
  children?: ComponentChildren
}) {
  const { title, lead, children } = props
  return (
    <header class="heading">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {'lead' in props && <p>{lead}</p>}
      </div>
      {children && <div class="actions">{children}</div>}
    </header>
  )
}

/** The list above a page and, where the heading says something else, the name of the page. */
export function Breadcrumb({
  href,
  list,
  children,
}: {
  href: string
  list: string
  children?: ComponentChildren
}) {
  return (
    <nav class="breadcrumb" aria-label="Breadcrumb">
      <a href={href}>{list}</a>
      {children && <> / {children}</>}
    </nav>
  )
}

interface PanelProps {
  title: string
  /** Content at the right end of the heading. */
  aside?: ComponentChildren
  children: ComponentChildren
}

/** A titled section of a page. */
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
  /** Completes "Could not …" in the error message. */
  task: string
  /** Typical number of rows, which keeps the layout stable while loading. */
  rows: number
  /** Heading of a page that has none unless it is loaded. */
  title?: string
  children: (value: T) => ComponentChildren
}

/** Shows a resource in each state: loading, failed, or loaded (also if a later request failed). */
export function Loaded<T>({ of, task, rows, title, children }: LoadedProps<T>) {
  const value = of.value.value
  const error = of.error.value
  return (
    <>
      {error && value === undefined && title && <Heading title={title} />}
      {error && <ErrorBox error={error} task={task} retry={() => void of.load()} />}
      {value !== undefined ? children(value) : !error && <Skeleton rows={rows} />}
    </>
  )
}

/** The error message of the server with a retry button. */
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

/** Gray bars in place of content that is loading. */
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

/** An empty state: one sentence and one action. */
export function Empty({ children, action }: { children: ComponentChildren; action?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>{children}</p>
      {action}
    </div>
  )
}
