import { useSignal } from '@preact/signals'
import { type ApiError, asApiError } from '../../api/api.ts'
import { useApp } from '../../app/app.ts'
import { useResource } from '../../app/use-resource.ts'
import { formatCount } from '../../lib/format.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { ErrorBox, Loaded } from '../../parts/Panel.tsx'
import { browserHref, countRecords, recordsPath, useCatalog } from '../collections/catalog.ts'
import { referringFilters } from '../collections/filters.ts'
import { type Collection, type Reference, referencesTo } from '../collections/model.ts'

interface DeleteRecordsProps {
  collection: Collection
  ids: readonly string[]
  /** Called when the dialog closes, with the ids of the records that are gone. */
  done: (removed: readonly string[]) => void
}

/** Asks before records are deleted, states what refers to them, and deletes them one after another. */
export function DeleteRecords({ collection, ids, done }: DeleteRecordsProps) {
  const { api, toast } = useApp()
  const removed = useSignal<readonly string[]>([])
  const failure = useSignal<{ id: string; error: ApiError } | undefined>(undefined)
  const busy = useSignal(false)
  const left = ids.filter((id) => !removed.value.includes(id))
  const remove = async () => {
    if (busy.peek()) return
    busy.value = true
    failure.value = undefined
    for (const id of left) {
      try {
        await api.remove(recordsPath(collection.name, id))
        removed.value = [...removed.peek(), id]
      } catch (error) {
        failure.value = { id, error: asApiError(error) }
        break
      }
    }
    busy.value = false
    if (failure.peek()) return
    toast(`Deleted ${numberOf(ids.length)} of ${collection.name}`)
    done(removed.peek())
  }
  const title = ids.length === 1 ? `Delete ${ids[0]}?` : `Delete ${numberOf(ids.length)}?`
  return (
    <Dialog title={title} open onClose={() => done(removed.peek())} mayClose={() => !busy.peek()}>
      <p>
        {ids.length === 1 ? 'This record' : 'These records'} of <code>{collection.name}</code>{' '}
        {ids.length === 1 ? 'is' : 'are'} gone for good. Only a backup brings{' '}
        {ids.length === 1 ? 'it' : 'them'} back.
      </p>
      <Referring collection={collection} ids={ids} />
      {failure.value && <ErrorBox error={failure.value.error} task={`delete ${failure.value.id}`} />}
      <div class="actions">
        {busy.value && (
          <progress value={removed.value.length} max={ids.length} aria-label="Deleted records" />
        )}
        <button type="button" onClick={() => busy.peek() || done(removed.peek())} aria-disabled={busy.value}>
          Cancel
        </button>
        <button type="button" class="danger" aria-disabled={busy.value} onClick={remove}>
          Delete {left.length === 1 ? 'the record' : numberOf(left.length)}
        </button>
      </div>
    </Dialog>
  )
}

/** What refers to the records, counted. */
function Referring({ collection, ids }: { collection: Collection; ids: readonly string[] }) {
  const { api } = useApp()
  const { collections } = useCatalog()
  const found = useResource(async (abort) => {
    const references = referencesTo(collection, collections.value.peek() ?? [])
    const counted: (Reference & { count: number; filter: string })[] = []
    for (const reference of references) {
      const filters = referringFilters(reference, ids)
      const counts = await Promise.all(
        filters.map((filter) => countRecords(api, reference.collection.name, filter, abort)),
      )
      const count = counts.reduce((sum, each) => sum + each, 0)
      if (count > 0) counted.push({ ...reference, count, filter: filters[0] ?? '' })
    }
    return counted
  }, [])
  return (
    <Loaded of={found} task="find what refers to the records" rows={2}>
      {(references) =>
        references.length === 0 ? (
          <p class="soft">Nothing refers to {ids.length === 1 ? 'it' : 'them'}.</p>
        ) : (
          <ul class="referring">
            {references.map(({ collection: from, field, count, filter }) => (
              <li key={from.name + field.name}>
                <a href={browserHref(from.name, { filter })}>
                  {formatCount(count)} of {from.name}
                </a>{' '}
                by <code>{field.name}</code>
                {field.cascadeDelete ? <strong>, deleted too</strong> : ''}
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  )
}

function numberOf(count: number): string {
  return `${formatCount(count)} record${count === 1 ? '' : 's'}`
}
