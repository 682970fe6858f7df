import { Menu } from '../Menu.tsx'

interface ColumnChoiceProps {
  /** Every column, and whether it is shown. */
  columns: readonly { title: string; isShown: boolean }[]
  toggle: (title: string) => void
  /** Shows the columns of the first visit again. */
  reset: () => void
}

/** Chooses the columns of a table. */
export function ColumnChoice({ columns, toggle, reset }: ColumnChoiceProps) {
  const shown = columns.filter(({ isShown }) => isShown).length
  return (
    <Menu
      class="quiet"
      button={shown === columns.length ? 'Columns' : `Columns ${shown} of ${columns.length}`}
      items={[{ title: 'Usual columns', run: reset }]}
    >
      {columns.map(({ title, isShown }) => (
        <button key={title} type="button" class="item" aria-pressed={isShown} onClick={() => toggle(title)}>
          <span aria-hidden="true">{isShown ? '✓ ' : '– '}</span>
          {title}
        </button>
      ))}
    </Menu>
  )
}
