import { asApiError } from '../../api/api.ts'
import type { Monitor } from '../../api/model/equipment/monitoring.ts'
import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { Menu } from '../../parts/Menu.tsx'
import { PHASE_KINDS, type PhaseKind } from './readings/phases.ts'
import { rangeQuery } from './readings/range.ts'
import { findPhase } from './use-overlay.ts'

/** Share of a cool-down that is shown before and after it. */
const MARGIN = 0.05

/** Shows the last cool-down or warm-up, or draws it over the visible time. */
export function PhaseMenu({ monitor }: { monitor: Monitor }) {
  const { api, toast } = useApp()
  const query = useQuery()
  const show = async (kind: PhaseKind) => {
    try {
      const phase = await findPhase(api, { monitor: monitor.id, kind, before: Date.now() })
      if (!phase) return toast(`No ${kind} ended within the last year.`)
      const margin = (phase.to - phase.from) * MARGIN
      query.set({ ...rangeQuery(phase.from - margin, phase.to + margin), over: null }, { push: true })
    } catch (error) {
      toast(asApiError(error).message, 'bad')
    }
  }
  const items = PHASE_KINDS.flatMap((kind) => [
    { title: `Show the last ${kind}`, run: () => void show(kind) },
    { title: `Compare with the ${kind} before`, run: () => query.set({ over: kind }) },
  ])
  const end = { title: 'End the comparison', run: () => query.set({ over: null }) }
  return <Menu button="Cool-downs ▾" items={query.get('over') ? [...items, end] : items} />
}
