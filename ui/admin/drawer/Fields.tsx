import { useApp } from '../../app/app.ts'
import { CopyButton } from '../../parts/CopyButton.tsx'
import { ErrorBox } from '../../parts/Panel.tsx'
import { recordsPath } from '../collections/catalog.ts'
import { creationOf } from '../collections/created-by.ts'
import type { Collection, Row } from '../collections/model.ts'
import { writeCurl } from '../snippets/clients.ts'
import { FieldRow } from './FieldRow.tsx'
import { bodyOf, type Change, controlOf } from './form.ts'
import type { Guard } from './use-guard.ts'
import { type RecordForm, useRecordForm } from './use-record-form.ts'

interface FieldsProps {
  collection: Collection
  all: readonly Collection[]
  /** The stored record; undefined for a new one. */
  row: Row | undefined
  guard: Guard
  saved: (id: string) => void
  remove: (id: string) => void
  close: () => void
}

/** The fields of a record as a form. */
export function Fields(props: FieldsProps) {
  const { collection, all, row } = props
  const form = useRecordForm(props)
  const { draft, large, changes } = form
  const failure = form.failure.value
  const { named } = useApp()
  const creation = creationOf(collection.name, named)
  // A form for a new record shows nothing that only the server sets.
  const fields = collection.fields.filter((field) => row || controlOf(field, true) !== 'fixed')
  const isNamed = fields.some(({ name }) => name in (failure?.fields ?? {}))
  return (
    <form ref={form.element} class="drawer-form" onSubmit={form.save} noValidate>
      <div class="drawer-body">
        {failure && !isNamed && (
          <ErrorBox error={failure} task={row ? 'save the record' : 'create the record'} />
        )}
        {!row && creation && (
          <p class="hint">
            <code>{creation.route}</code> {creation.text}
          </p>
        )}
        {fields.map((field) => (
          <FieldRow
            key={field.name}
            collection={collection}
            all={all}
            field={field}
            row={row}
            large={large}
            input={draft.value[field.name]}
            change={changes.find((each) => each.field.name === field.name)}
            refused={failure?.fields[field.name]?.message}
            set={(input) => (draft.value = { ...draft.peek(), [field.name]: input })}
          />
        ))}
      </div>
      <Foot {...props} form={form} />
    </form>
  )
}

/** The state of the form and what can be done with it. */
function Foot({ collection, row, remove, close, form }: FieldsProps & { form: RecordForm }) {
  const { changes, busy } = form
  const isDirty = changes.length > 0
  const idle = row ? 'No changes' : ''
  const action = row ? 'Save' : 'Create'
  return (
    <footer>
      <span class={isDirty ? 'unsaved' : 'soft'} role="status">
        {isDirty ? `${changes.length} unsaved` : idle}
      </span>
      <div class="actions">
        <CopyButton text={curlOf(collection, row, changes)} label="Copy as curl" />
        {row && !isDirty && (
          <button type="button" class="quiet" onClick={() => remove(row.id)}>
            Delete…
          </button>
        )}
        {row && isDirty && (
          <button type="button" onClick={form.discard}>
            Discard
          </button>
        )}
        {!row && (
          <button
            type="button"
            onClick={() => {
              form.discard()
              close()
            }}
          >
            Cancel
          </button>
        )}
        <button type="submit" class="primary" aria-disabled={busy.value || (row !== undefined && !isDirty)}>
          {busy.value ? 'Saving' : action}
        </button>
      </div>
    </footer>
  )
}

/** The request that the form would send now, as a command. */
function curlOf(collection: Collection, row: Row | undefined, changes: readonly Change[]): string {
  const path = recordsPath(collection.name, row?.id)
  if (row && changes.length === 0)
    return writeCurl(location.origin, { method: 'GET', path, needsLogin: true })
  const body = Object.fromEntries(
    Object.entries(bodyOf(changes)).map(([name, value]) => [name, name.startsWith('password') ? '…' : value]),
  )
  return writeCurl(location.origin, { method: row ? 'PATCH' : 'POST', path, needsLogin: true, body })
}
