import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { type ApiError, asApiError } from '../../api/api.ts'
import { useApp } from '../../app/app.ts'
import { recordsPath } from '../collections/catalog.ts'
import { type Collection, type Row, record } from '../collections/model.ts'
import { bodyOf, type Change, changesOf, type Draft, firstProblem } from './form.ts'
import type { Guard } from './use-guard.ts'

/** The state of the form of a record. */
export interface RecordForm {
  element: RefObject<HTMLFormElement | null>
  draft: Signal<Draft>
  /** Large values that were loaded, which the record itself does not contain. */
  large: Signal<Record<string, unknown>>
  changes: readonly Change[]
  failure: Signal<ApiError | undefined>
  busy: Signal<boolean>
  discard(): void
  save(event: SubmitEvent): Promise<void>
}

interface RecordFormOptions {
  collection: Collection
  /** The stored record; undefined for a new one. */
  row: Row | undefined
  guard: Guard
  saved: (id: string) => void
}

/** Keeps what was changed in the form of a record, and sends only that. */
export function useRecordForm({ collection, row, guard, saved }: RecordFormOptions): RecordForm {
  const { api, zone, toast } = useApp()
  const element = useRef<HTMLFormElement>(null)
  const draft = useSignal<Draft>({})
  const large = useSignal<Record<string, unknown>>({})
  const failure = useSignal<ApiError | undefined>(undefined)
  const busy = useSignal(false)
  const stored = row && { ...row, ...large.value }
  const changes = changesOf(collection, stored, draft.value, zone.value)
  const isDirty = changes.length > 0
  // Asked of the draft itself: a key right after a change comes before the form is drawn with it.
  useLayoutEffect(() => {
    guard.watch(() => changesOf(collection, stored, draft.peek(), zone.peek()).length > 0)
  })
  useLayoutEffect(() => () => guard.watch(undefined), [])

  const focus = (name: string | undefined) =>
    element.current
      ?.querySelector<HTMLElement>(`[data-field="${name}"] :is(input, select, textarea, button)`)
      ?.focus()
  const send = async () => {
    const body = bodyOf(changes)
    const path = recordsPath(collection.name, row?.id)
    const done = row ? await api.patch(path, body, record) : await api.post(path, body, record)
    draft.value = {}
    large.value = {}
    toast(`${row ? 'Saved' : 'Created'} ${done.id}`)
    saved(done.id)
  }
  return {
    element,
    draft,
    large,
    changes,
    failure,
    busy,
    discard() {
      draft.value = {}
      failure.value = undefined
    },
    async save(event) {
      event.preventDefault()
      if (busy.peek() || (row && !isDirty)) return
      failure.value = undefined
      const problem = firstProblem(changes)
      if (problem) return focus(problem.field)
      busy.value = true
      try {
        await send()
      } catch (thrown) {
        const refused = asApiError(thrown)
        failure.value = refused
        focus(collection.fields.find(({ name }) => name in refused.fields)?.name)
      } finally {
        busy.value = false
      }
    },
  }
}
