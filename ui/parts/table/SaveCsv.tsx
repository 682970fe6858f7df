import { useSignal } from '@preact/signals'
import { asApiError } from '../../api/api.ts'
import { useApp } from '../../app/app.ts'
import { formatCount } from '../../lib/format.ts'
import { saveFile } from '../../lib/save-file.ts'
import type { Column } from './DataTable.tsx'
import { csvOf } from './local.ts'
import { useHiddenColumns } from './use-hidden-columns.ts'

/** As many users as their activity is read of. */
const PAGE = 100
const MAX_ROWS = 5_000

interface SaveCsvProps<Row> {
  /** Name of the file. */
  file: string
  /** The list whose hidden columns are left out. */
  list: string
  columns: readonly Column<Row>[]
  /** Reads a page, from 1, in the order of the list and with its filters. */
  read: (page: number, size: number) => Promise<readonly Row[]>
}

/** Saves all rows of a list that the server divides into pages, with the columns that are shown. */
export function SaveCsv<Row>({ file, list, columns, read }: SaveCsvProps<Row>) {
  const { toast } = useApp()
  const { hidden } = useHiddenColumns(list)
  const isBusy = useSignal(false)
  const save = async () => {
    if (isBusy.peek()) return
    isBusy.value = true
    try {
      const rows: Row[] = []
      for (let page = 1; rows.length === (page - 1) * PAGE && rows.length < MAX_ROWS; page++)
        rows.push(...(await read(page, PAGE)))
      const shown = columns.filter(({ title }) => !hidden.includes(title))
      saveFile(new Blob([csvOf(shown, rows)], { type: 'text/csv' }), file)
      if (rows.length >= MAX_ROWS) toast(`${file} has the first ${formatCount(rows.length)} rows.`)
    } catch (failure) {
      toast(`Not saved: ${asApiError(failure).message}`, 'bad')
    } finally {
      isBusy.value = false
    }
  }
  return (
    <button type="button" aria-disabled={isBusy.value} onClick={() => void save()}>
      Save as CSV
    </button>
  )
}
