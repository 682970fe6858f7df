import { type Signal, useSignal } from '@preact/signals'
import { jobs as jobsSchema, job as schema } from '../../../api/model/jobs.ts'
import { useApp } from '../../../app/app.ts'
import { formatCount, formatNumberOf, sentence } from '../../../lib/format.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { Menu } from '../../../parts/Menu.tsx'
import { useAsk } from '../../../parts/use-confirm.ts'
import { BulkDialog } from './BulkDialog.tsx'
import { type BulkRun, runBulk } from './bulk.ts'
import { JOBS_HEAD, jobRows, toJson } from './export.ts'

/** Jobs that can be selected with one press; their results fit the memory of a browser. */
const MAX_SELECTED = 1_000

interface SelectionBarProps {
  selected: Signal<ReadonlySet<string>>
  total: number
  /** The filters of the list as parameters of the request. */
  filters: string
  sort: 'created' | '-created'
}

/** What can be done with the selected jobs. */
export function SelectionBar({ selected, total, filters, sort }: SelectionBarProps) {
  const { api, qpus, superuser, toast } = useApp()
  const ask = useAsk()
  const open = useSignal<{ title: string; run: BulkRun } | undefined>(undefined)
  const ids = [...selected.value]

  const start = (title: string, action: (id: string) => Promise<string>): BulkRun => {
    const run = runBulk(ids, action)
    open.value = { title, run }
    return run
  }
  const operate = async (name: 'hold' | 'release', title: string, done: string) => {
    const { confirmed, reason } = await ask({
      title: `${title} ${formatNumberOf(ids.length, 'job')}?`,
      body: 'The owners read the reason.',
      action: title,
      reason: { label: 'Reason' },
    })
    if (!confirmed) return
    start(title, async (id) => {
      await api.send(`/api/op/jobs/${id}/${name}`, { reason })
      return done
    })
  }
  const cancel = async () => {
    const isOperator = superuser.peek()
    const { confirmed, reason } = await ask({
      title: `Cancel ${formatNumberOf(ids.length, 'job')}?`,
      body: `Only pending jobs can be cancelled. The others stay as they are.${isOperator ? ' The owners read the reason.' : ''}`,
      action: 'Cancel jobs',
      tone: 'bad',
      ...(isOperator && { reason: { label: 'Reason' } }),
    })
    if (!confirmed) return
    start('Cancel jobs', async (id) => {
      await (isOperator
        ? api.send(`/api/op/jobs/${id}/cancel`, { reason })
        : api.send(`/api/jobs/${id}/cancel`, {}))
      return 'Cancelled'
    })
  }
  const save = async (kind: 'json' | 'csv') => {
    const name = (id: string) => qpus.value.peek()?.find((qpu) => qpu.id === id)?.name ?? id
    const read = async (path: string): Promise<BlobPart> =>
      kind === 'json' ? api.file(path) : jobRows(await api.get(path, schema), name)
    const loaded = new Map<string, BlobPart>()
    const run = start(`Export as ${kind.toUpperCase()}`, async (id) => {
      loaded.set(id, await read(`/api/jobs/${id}`))
      return 'Exported'
    })
    await run.ended
    const parts = ids.flatMap((id) => loaded.get(id) ?? [])
    if (parts.length === 0) return
    const file = kind === 'json' ? toJson(parts) : new Blob([JOBS_HEAD, ...parts], { type: 'text/csv' })
    saveFile(file, `jobs.${kind}`)
  }
  const selectAll = async () => {
    try {
      const all = await api.get(
        `/api/jobs?${filters && `${filters}&`}sort=${sort}&limit=${MAX_SELECTED}&fields=id,status`,
        jobsSchema,
      )
      selected.value = new Set(all.map(({ id }) => id))
    } catch {
      toast('The jobs could not be read. Try again.', 'bad')
    }
  }
  return (
    <div class="actions selection">
      <strong>{sentence(formatNumberOf(ids.length, 'job'))} selected</strong>
      {ids.length < Math.min(total, MAX_SELECTED) && (
        <button type="button" class="link" onClick={selectAll}>
          Select {total > MAX_SELECTED ? `the ${sort === 'created' ? 'oldest' : 'newest'}` : 'all'}{' '}
          {formatCount(Math.min(total, MAX_SELECTED))}
        </button>
      )}
      <span class="grow" />
      {ids.length >= 2 && ids.length <= 4 && (
        <a class="button" href={`/jobs/${ids[0]}?with=${ids.slice(1).join(',')}`}>
          Compare {ids.length}
        </a>
      )}
      <Menu
        button="Export"
        items={[
          { title: 'JSON', run: () => void save('json') },
          { title: 'CSV', run: () => void save('csv') },
        ]}
      />
      {superuser.value && (
        <>
          <button type="button" onClick={() => void operate('hold', 'Hold', 'Held')}>
            Hold
          </button>
          <button type="button" onClick={() => void operate('release', 'Release', 'Released')}>
            Release
          </button>
        </>
      )}
      <button type="button" onClick={() => void cancel()}>
        Cancel jobs
      </button>
      <button type="button" class="quiet" onClick={() => (selected.value = new Set())}>
        Clear selection
      </button>
      {open.value && <BulkDialog {...open.value} close={() => (open.value = undefined)} />}
    </div>
  )
}
