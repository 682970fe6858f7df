import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import * as v from 'valibot'
import { type Job, job as schema } from '../../../api/model/jobs.ts'
import { useApp } from '../../../app/app.ts'
import { useLive } from '../../../app/use-resource.ts'

/** Jobs of one request. */
const MAX_ASKED = 50
/** Each start or submission may move every place in a queue. */
const SPACING_MS = 5_000
const news = v.object({ jobs: v.array(schema) })

/** What a list does not have of a pending job. */
export type Place = Pick<Job, 'queue_position' | 'estimated_start' | 'waiting'>

/** Place and start of the pending jobs among those shown, by their ids. */
export function usePlaces(shown: readonly Pick<Job, 'id' | 'status'>[]): ReadonlyMap<string, Place> {
  const { api } = useApp()
  const places = useSignal<ReadonlyMap<string, Place>>(new Map())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const hasChanged = useRef(false)
  const pending = shown.flatMap(({ id, status }) => (status === 'pending' ? [id] : []))
  const missing = pending.filter((id) => !places.value.has(id))
  const wanted = useRef<readonly string[]>([])
  wanted.current = [...missing, ...pending.filter((id) => places.value.has(id))].slice(0, MAX_ASKED)
  const ask = async () => {
    timer.current = undefined
    if (wanted.current.length === 0) return
    const known = wanted.current.map((id) => ({ id }))
    // Places of rows that are not on the screen are of before the change.
    const isNew = hasChanged.current
    hasChanged.current = false
    const response = await api.post('/api/jobs/changes', { known }, news).catch(() => undefined)
    if (!response) {
      hasChanged.current ||= isNew
      return
    }
    const found = response.jobs.map(({ id, queue_position, estimated_start, waiting }) => {
      return [id, { queue_position, estimated_start, waiting }] as const
    })
    places.value = new Map([...(isNew ? [] : places.peek()), ...found])
  }
  const askIn = (ms: number) => {
    timer.current ??= setTimeout(ask, ms)
  }
  // A response may have some of the jobs only; without any of them, the next change asks again.
  useEffect(() => {
    if (missing.length > 0) askIn(0)
  }, [missing.join()])
  useLive('quantum_jobs/*', () => {
    hasChanged.current = true
    if (pending.length > 0) askIn(SPACING_MS)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  return places.value
}
