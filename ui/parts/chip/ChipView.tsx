import { useSignal } from '@preact/signals'
import { inSentence } from '../../lib/format.ts'
import { ChipMap } from '../../plots/chip/ChipMap.tsx'
import { ChipRuler } from '../../plots/chip/ChipRuler.tsx'
import { type Element, findElement } from '../../plots/chip/chip.ts'
import { describeElement, readingOf, type Shown, sourceText } from '../../plots/chip/shown.ts'
import type { ChipState } from './use-chip.ts'

/** A map of more qubits would show nothing that the tables do not. */
const MAX_QUBITS = 1_024

interface ChipViewProps {
  /** Name of the QPU. */
  name: string
  state: ChipState
  /** The selected element, or all that are. */
  selected?: string | ReadonlySet<string> | undefined
  onSelect: (element: string) => void
}

/** The map of a chip, the value of the element below the pointer, and the scales of its colors. */
export function ChipView({ name, state, selected, onSelect }: ChipViewProps) {
  const pointed = useSignal<string | undefined>(undefined)
  const { chip, qubits, couplers } = state
  if (chip.qubits.length > MAX_QUBITS) return <p class="soft">The chip has too many qubits for a map.</p>
  const colored = qubits.metric ? `, colored by ${inSentence(qubits.metric.title)}` : ''
  const only = typeof selected === 'string' ? selected : ''
  const element = findElement(chip, pointed.value ?? only)
  return (
    <>
      <ChipMap
        chip={chip}
        qubits={qubits}
        couplers={couplers}
        selected={selected}
        onSelect={onSelect}
        label={`Chip of ${name}: ${chip.qubits.length} qubits, ${chip.couplers.length} couplers${colored}`}
        onPoint={(pointedAt) => (pointed.value = pointedAt)}
      />
      <p class="chip-details">
        {element ? (
          <Details element={element} shown={shownOf(state, element)} />
        ) : (
          'Point at a qubit or a coupler to read its value.'
        )}
      </p>
      <div class="rulers">
        <ChipRuler of="Qubits" shown={qubits} />
        <ChipRuler of="Couplers" shown={couplers} />
      </div>
      <Key state={state} />
    </>
  )
}

/** What the map shows of an element. */
function shownOf({ qubits, couplers }: ChipState, element: Element): Shown {
  return element.qubits.length === 1 ? qubits : couplers
}

function Details({ element, shown }: { element: Element; shown: Shown }) {
  const reading = readingOf(shown, element)
  return (
    <>
      <strong>{element.name}</strong> {describeElement(shown, element)}
      {reading && `, ${sourceText(reading, Date.now())}`}
    </>
  )
}

function Key({ state }: { state: ChipState }) {
  const elements = [...state.chip.qubits, ...state.chip.couplers]
  const hasLimit = state.qubits.limit !== undefined || state.couplers.limit !== undefined
  const isUnknown = (element: Element) => element.operational && !readingOf(shownOf(state, element), element)
  const marks = [
    hasLimit && '▲ ring or ✕: beyond the limit',
    elements.some(({ operational }) => !operational) && 'dashed: not in use',
    elements.some(isUnknown) && 'hatched: no value',
  ].filter(Boolean)
  return marks.length > 0 ? <p class="chip-key">{marks.join(' · ')}</p> : null
}
