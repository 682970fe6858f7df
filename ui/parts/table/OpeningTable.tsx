import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

interface OpeningTableProps<Row> {
  /** What the rows are, for screen readers. */
  label: string
  class: string
  titles: readonly string[]
  rows: readonly Row[]
  id: (row: Row, index: number) => string
  /** The cells of a row, and what they need to open it. */
  cells: (row: Row, opening: Opening) => ComponentChildren
  /** What a row shows below itself while it is open. */
  detail: (row: Row) => ComponentChildren
  /** Whether the whole row opens it, besides a button among its cells. */
  opensByRow?: boolean
}

/** Whether a row is open, and how to change it. */
interface Opening {
  isOpen: boolean
  toggle: () => void
}

/** A table of lines of which one at a time opens in place. */
export function OpeningTable<Row>(props: OpeningTableProps<Row>) {
  const { label, class: className, titles, rows, id, cells, detail, opensByRow } = props
  const [opened, setOpened] = useState<string | undefined>(undefined)
  return (
    <div class="scroll">
      <table class={`book folds ${className}`} aria-label={label}>
        <thead>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.flatMap((row, index) => {
            const key = id(row, index)
            const isOpen = opened === key
            const toggle = () => setOpened(isOpen ? undefined : key)
            return [
              <tr key={key} class={isOpen ? 'opened' : undefined} onClick={opensByRow ? toggle : undefined}>
                {cells(row, { isOpen, toggle })}
              </tr>,
              ...(isOpen
                ? [
                    <tr key={`${key} detail`} class="detail">
                      <td colSpan={titles.length}>{detail(row)}</td>
                    </tr>,
                  ]
                : []),
            ]
          })}
        </tbody>
      </table>
    </div>
  )
}
