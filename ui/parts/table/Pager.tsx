import { useQuery } from '../../app/use-query.ts'
import { formatCount } from '../../lib/format.ts'

/** A page of a list that the server divides. */
export interface Pages {
  /** From 1. */
  page: number
  /** Rows of a full page. */
  size: number
  /** Rows on all pages, where the server counts them. */
  total?: number | undefined
  set: (page: number) => void
}

interface PagerProps extends Pages {
  /** Rows on this page. */
  shown: number
}

/** The page and the order of a list that the server sorts, as the address has them. */
export function usePages(size: number, order = '') {
  const query = useQuery()
  const page = Math.max(1, Number(query.get('page')) || 1)
  const by = query.get('sort') || order
  const set = (to: number) => query.set({ page: to === 1 ? '' : to }, { push: true })
  return {
    page,
    by,
    pages: { page, size, set },
    sort: { by, set: (to: string) => query.set({ sort: to, page: '' }) },
  }
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
