import { type Signal, useSignal } from '@preact/signals'
import { MIB } from '../../../src/base/portable/units.ts'
import { type ApiError, asApiError } from '../../api/api.ts'
import { useApp } from '../../app/app.ts'
import { ErrorBox } from '../../parts/Panel.tsx'
import { recordsPath } from '../collections/catalog.ts'
import { type Collection, type Field, record } from '../collections/model.ts'

interface LargeValueProps {
  collection: Collection
  field: Field
  id: string
  large: Signal<Record<string, unknown>>
}

/** A value that may have megabytes; it is loaded when it is wanted. */
export function LargeValue({ collection, field, id, large }: LargeValueProps) {
  const { api } = useApp()
  const busy = useSignal(false)
  const failure = useSignal<ApiError | undefined>(undefined)
  const load = async () => {
    if (busy.peek()) return
    busy.value = true
    failure.value = undefined
    try {
      const path = `${recordsPath(collection.name, id)}?fields=id,${field.name}`
      const row = await api.get(path, record)
      large.value = { ...large.peek(), [field.name]: row[field.name] }
    } catch (error) {
      failure.value = asApiError(error)
    }
    busy.value = false
  }
  const most = Math.round((field.maxSize ?? 0) / MIB)
  return (
    <div class="fixed large">
      {failure.value ? (
        <ErrorBox error={failure.value} task={`load ${field.name}`} retry={load} />
      ) : (
        <>
          <span class="soft">{most > 0 ? `Up to ${most} MiB` : 'Not loaded'}</span>
          <button type="button" class="link" aria-disabled={busy.value} onClick={load}>
            {busy.value ? 'Loading' : `Load ${field.name}`}
          </button>
        </>
      )}
    </div>
  )
}
