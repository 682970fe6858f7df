import type { QpuDetail } from '../../api/model/qpus.ts'
import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { ChipView } from '../../parts/chip/ChipView.tsx'
import { MetricPicker } from '../../parts/chip/MetricPicker.tsx'
import type { ChipState } from '../../parts/chip/use-chip.ts'
import { Check } from '../../parts/form/form.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { ChipTables } from './ChipTables.tsx'
import { LimitsButton } from './LimitsButton.tsx'

interface ChipSectionProps {
  qpu: QpuDetail
  state: ChipState
  selected: string | undefined
  onSelect: (element: string) => void
}

/** The chip as a map or as tables. What is shown is kept in the address. */
export function ChipSection({ qpu, state, selected, onSelect }: ChipSectionProps) {
  const { superuser } = useApp()
  const query = useQuery()
  const isTable = query.get('view') === 'table'
  const { chip, qubits, couplers } = state
  const canLog = [qubits, couplers].some(
    ({ metric }) => metric?.fraction || (metric && metric.better !== 'none'),
  )
  return (
    <Panel
      title="Chip"
      aside={
        <div class="actions">
          {!isTable && (
            <>
              <MetricPicker
                label="Color of the qubits"
                parameter="metric"
                metrics={chip.qubitMetrics}
                chosen={qubits.metric}
              />
              <MetricPicker
                label="Color of the couplers"
                parameter="edge"
                metrics={chip.couplerMetrics}
                chosen={couplers.metric}
              />
            </>
          )}
          <span class="segments">
            <button type="button" aria-pressed={!isTable} onClick={() => query.set({ view: '' })}>
              Map
            </button>
            <button type="button" aria-pressed={isTable} onClick={() => query.set({ view: 'table' })}>
              Table
            </button>
          </span>
        </div>
      }
    >
      {isTable ? (
        <ChipTables chip={chip} selected={selected} onSelect={onSelect} limits={state.limits} />
      ) : (
        <div class="padded">
          <ChipView name={qpu.name} state={state} selected={selected} onSelect={onSelect} />
          <div class="actions">
            {canLog && (
              <Check
                checked={query.get('log') === '1'}
                set={(isChecked) => query.set({ log: isChecked ? '1' : '' })}
              >
                Logarithmic, fidelities by their error
              </Check>
            )}
            {superuser.value && <LimitsButton qpu={qpu} state={state} />}
          </div>
        </div>
      )}
    </Panel>
  )
}
