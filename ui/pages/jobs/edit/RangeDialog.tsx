import { useSignal } from '@preact/signals'
import { type Range, setsOfRanges } from '../../../jobs/parameter-range.ts'
import { Dialog } from '../../../parts/Dialog.tsx'
import { BookTable } from '../../../parts/table/BookTable.tsx'
import { UseSets } from './UseSets.tsx'

/** Points of the first input, which is swept unless something else is chosen. */
const POINTS = '21'

const ENDS = [
  ['from', 'From'],
  ['to', 'To'],
  ['points', 'Points'],
] as const

interface RangeDialogProps {
  inputs: readonly string[]
  /** Values that the other inputs keep. */
  first: readonly string[]
  most: number
  close: () => void
  use: (sets: string[][]) => void
}

/** Replaces the parameter sets by the points of a range per input, in all combinations. */
export function RangeDialog({ inputs, first, most, close, use }: RangeDialogProps) {
  const ranges = useSignal<readonly Range[]>(
    inputs.map((_, at) =>
      at === 0
        ? { from: '0', to: '2*pi', points: String(Math.min(Number(POINTS), Math.max(1, most))) }
        : { from: first[at] ?? '0', to: '', points: '1' },
    ),
  )
  const change = (at: number, part: Partial<Range>) => {
    ranges.value = ranges.value.map((range, index) => (index === at ? { ...range, ...part } : range))
  }
  const ranged = setsOfRanges(inputs, ranges.value, most)
  const problem = 'problem' in ranged ? ranged.problem : undefined
  const sets = 'sets' in ranged ? ranged.sets : []
  const submit = (event: Event) => {
    event.preventDefault()
    // The dialog stands in the form of the job.
    event.stopPropagation()
    if (problem !== undefined) return
    use(sets)
    close()
  }
  return (
    <Dialog title="Range of parameters" open onClose={close}>
      <div class="form">
        <div class="scroll parameters">
          <BookTable head={['Input', ...ENDS.map(([, title]) => title)]}>
            {inputs.map((name, at) => (
              <tr key={name}>
                <th scope="row">
                  <code>{name}</code>
                </th>
                {ENDS.map(([key, title]) => (
                  <td key={key}>
                    <input
                      aria-label={`${name}, ${title.toLowerCase()}`}
                      value={ranges.value[at]?.[key]}
                      autocomplete="off"
                      spellcheck={false}
                      disabled={key === 'to' && ranges.value[at]?.points.trim() === '1'}
                      {...(key === 'points' && { inputMode: 'numeric' as const })}
                      onInput={({ currentTarget }) => change(at, { [key]: currentTarget.value })}
                      onKeyDown={(event) => {
                        if (event.key === 'Enter') submit(event)
                      }}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </BookTable>
        </div>
        <p class={problem === undefined ? 'caption' : 'field-error'} role="status">
          {problem ??
            'Both ends included; one point is a fixed value. Several ranges make every combination.'}
        </p>
        <UseSets count={sets.length} disabled={problem !== undefined} use={submit} close={close} />
      </div>
    </Dialog>
  )
}
