import { type Signal, useSignal } from '@preact/signals'
import { MAX_IDEAL_QUBITS } from '../../../jobs/ideal/ideal-distribution.ts'
import {
  expectationOf,
  hellingerFidelity,
  parsePauliZ,
  type Typed,
  widthOf,
} from '../../../jobs/ideal/marginals.ts'
import { useIdeal } from '../../../jobs/ideal/use-ideal.ts'
import type { Execution } from '../../../jobs/jobs.ts'
import { formatQuantity } from '../../../lib/quantity.ts'

/** What is wrong with something typed; empty if nothing is. */
export function problemOf(typed: Typed<unknown> | undefined): string {
  return typed && 'problem' in typed ? typed.problem : ''
}

/** The choice of the bits whose outcomes are shown; the others are summed over. */
export function BitsField({
  bits,
  width,
  problem,
}: {
  bits: Signal<string>
  width: number
  problem: string
}) {
  if (width < 2) return null
  return <Typing label="Bits" typed={bits} placeholder={`all, 0–${width - 1}`} problem={problem} />
}

interface TypingProps {
  label: string
  typed: Signal<string>
  placeholder: string
  problem: string
}

function Typing({ label, typed, placeholder, problem }: TypingProps) {
  return (
    <>
      <label class="beside">
        {label}
        <input
          type="text"
          value={typed.value}
          placeholder={placeholder}
          spellcheck={false}
          aria-invalid={problem !== ''}
          onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
        />
      </label>
      {problem && (
        <span class="tone-bad" role="alert">
          {problem}
        </span>
      )}
    </>
  )
}

/**
 * The ideal probabilities of an execution whose measured outcomes have `width` bits; without them a note that
 * says why, and what to do instead. Neither without an execution.
 */
export function useComparable(execution: Execution | undefined, width: number | undefined, job: string) {
  const { text = '', values = [] } = execution ?? {}
  const [ideal] = useIdeal(execution ? [execution] : [], `${text} ${values.join(' ')}`).value ?? []
  if (!execution) return {}
  if (!ideal) return { note: <p class="caption">The ideal distribution is being calculated.</p> }
  const isKnown = 'probabilities' in ideal
  if (isKnown && widthOf(ideal.probabilities) === width) return { probabilities: ideal.probabilities }
  const why = isKnown ? 'the measured outcomes have another number of bits' : ideal.unknown
  const note = (
    <p class="caption">
      A page calculates the ideal distribution of at most {MAX_IDEAL_QUBITS} qubits, and not of this program:{' '}
      {why}. <a href={`/jobs/new?from=${job}`}>Run it on a simulator</a> and compare the two jobs.
    </p>
  )
  return { note }
}

interface FiguresProps {
  measured: Record<string, number>
  /** The measured counts of the chosen bits. */
  counts: Record<string, number>
  ideal: Record<string, number> | undefined
  /** The ideal counts of the chosen bits. */
  exact: Record<string, number> | undefined
  width: number
}

/** The expectation of a string of Pauli Z, and how near the measured distribution is to the ideal one. */
export function Figures({ measured, counts, ideal, exact, width }: FiguresProps) {
  const string = useSignal('')
  const bits = parsePauliZ(string.value || 'Z'.repeat(width), width)
  const found = 'value' in bits ? expectationOf(measured, bits.value) : undefined
  const wanted = ideal && 'value' in bits ? expectationOf(ideal, bits.value).mean : undefined
  return (
    <>
      <div class="toolbar">
        <Typing
          label="Expectation of"
          typed={string}
          placeholder={width <= 12 ? 'Z'.repeat(width) : `Z on all ${width} bits`}
          problem={problemOf(bits)}
        />
        {found && (
          <output>
            {formatQuantity(found.mean, { uncertainty: found.error, digits: 3 })}
            {wanted !== undefined && `, ideally ${formatQuantity(wanted, { digits: 3 })}`}
          </output>
        )}
      </div>
      {exact && (
        <p>
          Hellinger fidelity to the ideal distribution:{' '}
          <strong>{hellingerFidelity(counts, exact).toFixed(4)}</strong>
        </p>
      )}
    </>
  )
}
