import { asApiError } from '../../api/api.ts'
import { useApp } from '../../app/app.ts'
import { Menu } from '../../parts/Menu.tsx'
import { recordsPath } from '../collections/catalog.ts'
import { idsFilter } from '../collections/filters.ts'
import type { Collection } from '../collections/model.ts'

interface ExportMenuProps {
  collection: Collection
  /** All that match it are exported; empty for all records. */
  filter?: string
  /** Only these records. */
  ids?: readonly string[]
}

/** Saves records as a file: those that are selected, or all that match the filter. */
export function ExportMenu({ collection, filter = '', ids }: ExportMenuProps) {
  const { api, toast } = useApp()
  const save = async (format: 'csv' | 'jsonl') => {
    const wanted = ids ? idsFilter(ids) : filter
    const query = new URLSearchParams({ format, ...(wanted && { filter: wanted }) })
    try {
      await api.download(`${recordsPath(collection.name)}?${query}`, `${collection.name}.${format}`)
    } catch (error) {
      toast(`Could not export: ${asApiError(error).message}`, 'bad')
    }
  }
  return (
    <Menu
      button="Export…"
      items={[
        { title: 'CSV', run: () => void save('csv') },
        { title: 'JSON, one record per line', run: () => void save('jsonl') },
      ]}
    />
  )
}
