import { useSignal } from '@preact/signals'
import { readSets } from '../../../jobs/submission.ts'
import { readExpression } from '../../../lib/expressions.ts'
import { formatNumberOf } from '../../../lib/format.ts'
import { Dialog } from '../../../parts/Dialog.tsx'
import { Field } from '../../../parts/form/form.tsx'
import { Panel } from '../../../parts/Panel.tsx'
import { RangeDialog } from './RangeDialog.tsx'
import { UseSets } from './UseSets.tsx'

/** Sets that are shown; more come from a paste and are kept. */
const MAX_ROWS = 50

interface ParametersProps {
  inputs: readonly string[]
  sets: readonly string[][]
  problem: string | undefined
  /** The most sets that the job can have of this program. */
  most: number
  changed: (sets: string[][]) => void
}

/** The values of the inputs of a program: one row per execution. */
export function Parameters({ inputs, sets, problem, most, changed }: ParametersProps) {
  const isPasting = useSignal(false)
  const isRanging = useSignal(false)
  const change = (row: number, column: number, text: string) =>
    changed(
      sets.map((values, at) =>
        at === row ? inputs.map((_, input) => (input === column ? text : (values[input] ?? ''))) : values,
      ),
    )
  const add = () => changed([...sets, [...(sets.at(-1) ?? inputs.map(() => '0'))]])
  return (
    <Panel title="Parameters" aside={<span class="soft">{formatNumberOf(sets.length, 'set')}</span>}>
      <div class="scroll parameters">
        {sets.length > 0 && (
          <table class="book">
            <thead>
              <tr>
                <th scope="col">Set</th>
                {inputs.map((name) => (
                  <th key={name} scope="col">
                    <code>{name}</code>
                  </th>
                ))}
                <th scope="col">
                  <span class="unseen">Remove</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {sets.slice(0, MAX_ROWS).map((values, row) => (
                <tr key={row}>
                  <th scope="row">{row + 1}</th>
                  {inputs.map((name, column) => (
                    <Value
                      key={name}
                      label={`${name}, set ${row + 1}`}
                      text={values[column] ?? ''}
                      changed={(text) => change(row, column, text)}
                    />
                  ))}
                  <td class="number">
                    <button
                      type="button"
                      class="link"
                      aria-label={`Remove set ${row + 1}`}
                      onClick={() => changed(sets.filter((_, at) => at !== row))}
                    >
                      ✕
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {sets.length > MAX_ROWS && <p class="soft">and {sets.length - MAX_ROWS} more sets</p>}
        {problem && (
          <p class="field-error" tabIndex={-1}>
            {problem}
          </p>
        )}
        <div class="actions">
          <button type="button" onClick={add}>
            Add a set
          </button>
          <button type="button" onClick={() => (isPasting.value = true)}>
            Paste sets
          </button>
          {inputs.length > 0 && (
            <button type="button" onClick={() => (isRanging.value = true)}>
              Range…
            </button>
          )}
        </div>
        <p class="caption">
          Numbers with <code>pi</code>, + − × / and parentheses; angles in radians.
        </p>
      </div>
      <PasteDialog
        inputs={inputs}
        open={isPasting.value}
        close={() => (isPasting.value = false)}
        paste={changed}
      />
      {isRanging.value && (
        <RangeDialog
          inputs={inputs}
          first={sets[0] ?? []}
          most={most}
          close={() => (isRanging.value = false)}
          use={changed}
        />
      )}
    </Panel>
  )
}

interface ValueProps {
  label: string
  text: string
  changed: (text: string) => void
}

function Value({ label, text, changed }: ValueProps) {
  const read = readExpression(text)
  const isWrong = typeof read === 'string'
  return (
    <td>
      <input
        aria-label={label}
        value={text}
        autocomplete="off"
        spellcheck={false}
        {...(isWrong && { 'aria-invalid': true, title: read })}
        onInput={({ currentTarget }) => changed(currentTarget.value)}
      />
      {isWrong && text !== '' && <small class="field-error">{read}</small>}
    </td>
  )
}

interface PasteDialogProps {
  inputs: readonly string[]
  open: boolean
  close: () => void
  paste: (sets: string[][]) => void
}

function PasteDialog({ inputs, open, close, paste }: PasteDialogProps) {
  const text = useSignal('')
  const sets = readSets(text.value)
  const use = () => {
    if (sets.length === 0) return
    paste(sets)
    close()
  }
  return (
    <Dialog title="Paste parameter sets" open={open} onClose={close}>
      <div class="form">
        <Field id="paste" label={`One set per line: ${inputs.join(', ')}`}>
          <textarea
            id="paste"
            rows={8}
            value={text.value}
            onInput={({ currentTarget }) => (text.value = currentTarget.value)}
          />
        </Field>
        <UseSets count={sets.length} disabled={sets.length === 0} use={use} close={close} />
      </div>
    </Dialog>
  )
}
