import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { Job } from '../../../api/model/jobs.ts'
import { jobCondition } from '../../../jobs/status.ts'
import { commonPrefix, formatColumnSeconds, formatCount } from '../../../lib/format.ts'
import { maxRows, type RowWindow, windowOf } from '../../../lib/window.ts'
import { Moment } from '../../../parts/Moment.tsx'
import { Status } from '../../../parts/Status.tsx'
import { QpuName, Took } from '../JobTable.tsx'
import type { JobPages } from './job-pages.ts'
import { useGradually } from './use-gradually.ts'

/** Heights of a row as in `jobs.css`, px; on phones a row has two lines. */
const ROW_PX = 37
const PHONE_ROW_PX = 65
/** Rows beyond the screen; each takes part of a frame when a jump replaces all rows. */
const MARGIN = 5
const PHONE = '(max-width: 760px)'
/** Characters at the end of an id that stay in full color. */
const TAIL = 6

const HEADS: readonly { title: string; column?: string }[] = [
  { title: 'Job' },
  { title: 'Owner', column: 'owner' },
  { title: 'Status', column: 'status-column' },
  { title: 'QPU', column: 'qpu-column' },
  { title: 'Shots', column: 'number shots-column' },
  { title: 'Submitted', column: 'number time-column' },
  { title: 'Time', column: 'number took-column' },
]

interface JobRowsProps {
  pages: JobPages
  total: number
  selected: Signal<ReadonlySet<string>>
  /** Name of an owner, where owners are shown. */
  owner?: ((id: string) => string) | undefined
}

/** The rows of a long list around the screen; the rest is empty space of the right height. */
export function JobRows({ pages, total, selected, owner }: JobRowsProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  const rows = useWindow(body, total)
  const { from, to } = rows.value
  pages.version.value
  useEffect(() => pages.show({ from, to }), [pages, from, to])
  const height = rowHeight()
  // Rows keep their elements while the list scrolls: making new ones takes most of a frame.
  const slots = maxRows({ height: innerHeight, rowHeight: height }, MARGIN)
  const shown = useGradually(
    Array.from({ length: to - from }, (_, at) => ({ index: from + at, job: pages.row(from + at) })),
    slots,
  )
  const prefix = commonPrefix(
    shown.flatMap(({ job }) => (job ? [job.id] : [])),
    15 - TAIL,
  )
  const keepFocus = useFocusOfJob(body)
  return (
    <div class="scroll">
      <table class={`book folds jobs long ${owner ? 'owned' : ''}`} aria-rowcount={total + 1}>
        <thead>
          <tr>
            <th scope="col" class="pick">
              <span class="unseen">Selected</span>
            </th>
            {HEADS.map(({ title, column }) =>
              title === 'Owner' && !owner ? null : (
                <th key={title} scope="col" class={column}>
                  {title}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody ref={body} onFocusIn={keepFocus}>
          <Space px={from * height} />
          {shown.map((row) => (
            <Slot key={row.index % slots} {...row} prefix={prefix} selected={selected} owner={owner} />
          ))}
          <Space px={(total - to) * height} />
        </tbody>
      </table>
    </div>
  )
}

function Space({ px }: { px: number }) {
  return px > 0 ? <tr class="space" style={{ height: `${px}px` }} /> : null
}

interface SlotProps extends Pick<JobRowsProps, 'selected' | 'owner'> {
  index: number
  /** Undefined while it is being loaded. */
  job: Job | undefined
  prefix: string
}

/** A row; while its job is being loaded it keeps its elements, out of sight. */
function Slot(props: SlotProps) {
  const last = useRef<Job>(undefined)
  last.current = props.job ?? last.current
  const job = last.current
  if (job) return <Row {...props} job={job} isAwaited={props.job === undefined} />
  return (
    <tr class="awaited" aria-rowindex={props.index + 2}>
      <td colSpan={props.owner ? 8 : 7}>
        <span class="unseen">Loading</span>
      </td>
    </tr>
  )
}

interface RowProps extends SlotProps {
  job: Job
  isAwaited: boolean
}

function Row({ index, job, prefix, selected, owner, isAwaited }: RowProps) {
  const { id, name, tags } = job
  const isSelected = selected.value.has(id)
  return (
    <tr
      aria-rowindex={index + 2}
      class={isAwaited ? 'awaited' : isSelected ? 'selected' : undefined}
      data-job={isAwaited ? undefined : id}
    >
      <td class="pick">
        <input
          type="checkbox"
          aria-label={`Select ${name || id}`}
          data-select={isAwaited ? undefined : ''}
          checked={isSelected}
          onChange={() => toggle(selected, id)}
        />
      </td>
      <th scope="row">
        <a href={`/jobs/${id}`} data-row={isAwaited ? undefined : ''} title={name || id}>
          <code>
            <span class="soft">{prefix}</span>
            {id.slice(prefix.length)}
          </code>
          {name && <span class="job-name">{name}</span>}
        </a>
        {(tags ?? []).map((tag) => (
          <span key={tag} class="tag">
            {tag}
          </span>
        ))}
      </th>
      {owner && <td class="owner">{owner(job.user_id ?? '')}</td>}
      <td class="state">
        <Status {...jobCondition(job)} />
      </td>
      <td class="place">
        <QpuName of={job} />
      </td>
      <td class="number shots">{job.shots ? formatCount(job.shots) : '–'}</td>
      <td class="number when">
        <Moment at={job.created} />
      </td>
      <td class="number took">
        <Took job={job} format={formatColumnSeconds} />
      </td>
    </tr>
  )
}

/** Keeps the focus with its job when rows show other jobs; returns the handler of the focus. */
function useFocusOfJob(body: { current: HTMLElement | null }): () => void {
  const focused = useRef<string>(undefined)
  const jobInFocus = () => document.activeElement?.closest('tr')?.dataset['job']
  useLayoutEffect(() => {
    const active = document.activeElement
    if (!(active instanceof HTMLElement) || !body.current?.contains(active)) return
    const wanted = focused.current
    if (wanted === undefined || jobInFocus() === wanted) return
    active.blur()
    const row = body.current.querySelector(`[data-job="${wanted}"]`)
    row?.querySelector<HTMLElement>(active.localName)?.focus({ preventScroll: true })
  })
  return () => {
    focused.current = jobInFocus()
  }
}

function toggle(selected: Signal<ReadonlySet<string>>, id: string): void {
  const next = new Set(selected.peek())
  if (!next.delete(id)) next.add(id)
  selected.value = next
}

function rowHeight(): number {
  return matchMedia(PHONE).matches ? PHONE_ROW_PX : ROW_PX
}

/** The rows of the list on the screen, which follow the scrolling of the page. */
function useWindow(body: { current: HTMLElement | null }, rows: number): Signal<RowWindow> {
  const current = useSignal<RowWindow>({ from: 0, to: 0 })
  useEffect(() => {
    let frame = 0
    const measure = () => {
      frame = 0
      const top = body.current?.getBoundingClientRect().top ?? 0
      const next = windowOf({ scrolled: -top, height: innerHeight, rowHeight: rowHeight(), rows }, MARGIN)
      const { from, to } = current.peek()
      if (next.from !== from || next.to !== to) current.value = next
    }
    const later = () => {
      frame ||= requestAnimationFrame(measure)
    }
    measure()
    addEventListener('scroll', later, { passive: true })
    addEventListener('resize', later)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('scroll', later)
      removeEventListener('resize', later)
    }
  }, [rows])
  return current
}
