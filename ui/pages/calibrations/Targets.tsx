import type { QpuDetail } from '../../api/model/qpus.ts'
import { formatNumberOf, sentence } from '../../lib/format.ts'
import { ChipView } from '../../parts/chip/ChipView.tsx'
import { MetricPicker } from '../../parts/chip/MetricPicker.tsx'
import { type ChipState, useChip } from '../../parts/chip/use-chip.ts'
import { Field } from '../../parts/form/form.tsx'
import { breachesOf } from '../../plots/chip/limits.ts'
import { elementsOf, parseNames, type TargetNames, targetOf } from './target-names.ts'

interface TargetsProps {
  /** The QPU with all known names in its description; undefined until it is loaded. */
  qpu: QpuDetail | undefined
  names: TargetNames | undefined
  chosen: readonly string[]
  choose: (names: string[]) => void
  id: string
  error: string | undefined
}

/** Chooses qubits and edges: on the map of the chip, or in a list; by their names if none is known. */
export function Targets({ qpu, names, chosen, choose, id, error }: TargetsProps) {
  const state = useChip(qpu)
  if (!names || !qpu) return <p class="soft">Loading the qubits…</p>
  if (names.qubits.length + names.edges.length === 0) {
    return (
      <Field
        id={id}
        label="Qubits and edges"
        error={error}
        hint="Names as in the device file, such as q0, q1, q0_q1"
      >
        <input id={id} onChange={({ currentTarget }) => choose(parseNames(currentTarget.value))} />
      </Field>
    )
  }
  const toggle = (name: string) =>
    choose(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name])
  return (
    <fieldset class="choice targets" aria-describedby={error ? `${id}-error` : undefined}>
      <legend>
        Qubits and edges <span class="soft">edges of chosen qubits are included</span>
      </legend>
      {state && (
        <TargetMap qpu={qpu} state={state} names={names} chosen={chosen} choose={choose} toggle={toggle} />
      )}
      <details>
        <summary>Choose in a list</summary>
        <TargetList names={names} chosen={chosen} toggle={toggle} id={id} />
      </details>
      {error && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </fieldset>
  )
}

interface ChoiceProps {
  names: TargetNames
  chosen: readonly string[]
  toggle: (name: string) => void
}

interface TargetMapProps extends ChoiceProps {
  qpu: QpuDetail
  state: ChipState
  choose: (names: string[]) => void
}

/** The map of the chip; a press or the Enter key chooses an element, a second one gives it up. */
function TargetMap({ qpu, state, names, chosen, choose, toggle }: TargetMapProps) {
  const { chip, limits, qubits } = state
  const beyond = [...new Set(breachesOf(chip, limits).map(({ element }) => targetOf(names, element)))]
  return (
    <>
      <div class="actions">
        <MetricPicker
          label="Color of the qubits"
          parameter="metric"
          metrics={chip.qubitMetrics}
          chosen={qubits.metric}
        />
        {beyond.length > 0 && (
          <button type="button" onClick={() => choose([...new Set([...chosen, ...beyond])])}>
            Choose those beyond a limit
          </button>
        )}
        {chosen.length > 0 && (
          <button type="button" onClick={() => choose([])}>
            Choose none
          </button>
        )}
      </div>
      <ChipView
        name={qpu.name}
        state={state}
        selected={elementsOf([...chip.qubits, ...chip.couplers], names, chosen)}
        onSelect={(element) => toggle(targetOf(names, element))}
      />
      <p class="soft" aria-live="polite">
        {chosen.length === 0
          ? 'Nothing is chosen.'
          : `${sentence(formatNumberOf(chosen.length, 'target'))} chosen: ${summaryOf(chosen)}.`}
      </p>
    </>
  )
}

const MAX_NAMED = 12

function summaryOf(chosen: readonly string[]): string {
  const named = chosen.slice(0, MAX_NAMED).join(', ')
  return chosen.length > MAX_NAMED ? `${named} and ${chosen.length - MAX_NAMED} more` : named
}

/** The same choice as check boxes. */
function TargetList({ names, chosen, toggle, id }: ChoiceProps & { id: string }) {
  return (
    <>
      {[names.qubits, names.edges].map((list, at) => (
        <div key={at} class="chips">
          {list.map((name, index) => (
            <label key={name} class="chip">
              <input
                type="checkbox"
                id={at === 0 && index === 0 ? id : undefined}
                checked={chosen.includes(name)}
                onChange={() => toggle(name)}
              />
              {name}
            </label>
          ))}
        </div>
      ))}
    </>
  )
}
