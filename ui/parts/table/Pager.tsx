import { formatCount } from '../../lib/format.ts'

interface PagerProps {
  /** From 1. */
  page: number
  /** Rows of a full page. */
  size: number
  /** Rows on this page. */
  shown: number
  /** Rows on all pages, where the server counts them. */
  total?: number | undefined
  set: (page: number) => void
}

/** Links to the previous and the next page of a list; nothing when everything is on one page. */
export function Pager({ page, size, shown, total, set }: PagerProps) {
  const first = (page - 1) * size + 1
  const last = first + shown - 1
  const more = total === undefined ? shown >= size : last < total
  if (page === 1 && !more) return null
  return (
    <nav class="pager" aria-label="Pages of the list">
      <span class="soft">
        {shown === 0 ? 'No rows' : `${formatCount(first)}–${formatCount(last)}`}
        {total !== undefined && ` of ${formatCount(total)}`}
      </span>
      <button type="button" aria-disabled={page === 1} onClick={() => page > 1 && set(page - 1)}>
        Previous
      </button>
      <button type="button" aria-disabled={!more} onClick={() => more && set(page + 1)}>
        Next
      </button>
    </nav>
  )
}
