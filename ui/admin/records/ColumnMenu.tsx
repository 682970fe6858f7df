import { Menu } from '../../parts/Menu.tsx'
import type { Collection } from '../collections/model.ts'
import { type Column, defaultColumns, showable, toggleColumn } from './columns.ts'

interface ColumnMenuProps {
  collection: Collection
  columns: readonly Column[]
  set: (columns: readonly Column[]) => void
}

/** Chooses the columns of a table; the choice is remembered in this browser. */
export function ColumnMenu({ collection, columns, set }: ColumnMenuProps) {
  const all = showable(collection)
  return (
    <Menu
      button={`Columns ${columns.length} of ${all.length}`}
      items={[{ title: 'Usual columns', run: () => set(defaultColumns(collection)) }]}
    >
      <fieldset class="column-list">
        <legend class="unseen">Columns</legend>
        {all.map(({ name }) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={columns.some(({ field }) => field.name === name)}
              disabled={name === 'id'}
              onChange={() => set(toggleColumn(collection, columns, name))}
            />
            <code>{name}</code>
          </label>
        ))}
      </fieldset>
    </Menu>
  )
}
