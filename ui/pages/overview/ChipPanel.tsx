import { type QpuDetail, qpuDetail } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { useLive, useResource } from '../../app/use-resource.ts'
import { agoText } from '../../jobs/occupancy.ts'
import { ChipView } from '../../parts/chip/ChipView.tsx'
import { MetricPicker } from '../../parts/chip/MetricPicker.tsx'
import { useChip } from '../../parts/chip/use-chip.ts'
import { Select } from '../../parts/form/form.tsx'
import { Panel } from '../../parts/Panel.tsx'

/** Descriptions that are read to find one with qubits; simulators have none. */
const MAX_TRIED = 4
const SPACING_MS = 2_000

/** The chip of one QPU; nothing while none describes its qubits. */
export function ChipPanel() {
  const { api, qpus, router } = useApp()
  const query = useQuery()
  const described = (qpus.value.value ?? []).filter((qpu) => qpu.described_at)
  const wanted = query.get('chip')
  const names = described.map(({ name }) => name)
  const candidates = [...new Set([wanted, ...names])].filter((name) => names.includes(name))
  const detail = useResource<QpuDetail | undefined>(
    async (abort) => {
      for (const name of candidates.slice(0, MAX_TRIED)) {
        const qpu = await api.get(`/api/qpus/${encodeURIComponent(name)}`, qpuDetail, abort)
        if ((qpu.description?.qubits.length ?? 0) > 0) return qpu
      }
      return undefined
    },
    [candidates.join(' ')],
  )
  useLive('qpus/*', () => detail.loadSoon(SPACING_MS))
  const qpu = detail.value.value
  const state = useChip(qpu)
  if (!qpu || !state) return null
  const open = (element: string) => {
    const search = new URLSearchParams({ ...chosen(), element })
    router.go(`/qpus/${encodeURIComponent(qpu.name)}?${search}`)
  }
  const chosen = () =>
    Object.fromEntries(
      ['metric', 'edge', 'log'].map((name) => [name, query.get(name)]).filter(([, value]) => value),
    )
  return (
    <Panel
      title={`${qpu.name} chip`}
      aside={
        <div class="actions">
          {names.length > 1 && (
            <Select
              aria-label="QPU of the chip"
              value={qpu.name}
              choices={names}
              set={(chip) => query.set({ chip })}
            />
          )}
          <MetricPicker
            label="Color of the qubits"
            parameter="metric"
            metrics={state.chip.qubitMetrics}
            chosen={state.qubits.metric}
          />
        </div>
      }
    >
      <div class="padded">
        <ChipView name={qpu.name} state={state} onSelect={open} />
        <p class="caption">
          <a href={`/qpus/${encodeURIComponent(qpu.name)}`}>{qpu.name}</a>
          {qpu.calibration && `, calibrated ${agoText(qpu.calibration.at, Date.now())}`}
        </p>
      </div>
    </Panel>
  )
}
