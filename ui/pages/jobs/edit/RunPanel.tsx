import type { Draft, Level } from '../../../jobs/draft.ts'
import type { Problem } from '../../../jobs/problems.ts'
import { describedBy, Field } from '../../../parts/form/form.tsx'
import { Panel } from '../../../parts/Panel.tsx'
import { QpuField } from '../QpuField.tsx'
import { Segments } from '../Segments.tsx'

interface RunPanelProps {
  draft: Draft
  change: (field: Problem['field'], part: Partial<Draft>) => void
  errorOf: (field: Problem['field']) => string | undefined
}

/** How the programs are run: QPU, shots, form of the result, name and tags. */
export function RunPanel({ draft, change, errorOf }: RunPanelProps) {
  const { shots, qpu, name, tags, level, maxSeconds, require } = draft
  const result = {
    get value() {
      return level
    },
    set value(next: Level) {
      change('level', { level: next })
    },
  }
  return (
    <Panel title="Run">
      <div class="padded form">
        <QpuField value={qpu} error={errorOf('qpu')} changed={(id) => change('qpu', { qpu: id })} />
        <Field id="shots" label="Shots" error={errorOf('shots')}>
          <input
            id="shots"
            type="number"
            min={1}
            step={1}
            inputMode="numeric"
            value={shots}
            onInput={({ currentTarget }) => change('shots', { shots: currentTarget.value })}
            {...describedBy('shots', errorOf('shots'))}
          />
        </Field>
        <div>
          <Segments
            label="Result"
            isLabelShown
            value={result}
            choices={[
              ['2', 'Counts'],
              ['1', 'IQ points'],
              ['0', 'Traces'],
            ]}
          />
          {errorOf('level') && <p class="field-error">{errorOf('level')}</p>}
        </div>
        <Field
          id="max-seconds"
          label="Most QPU time, s"
          error={errorOf('maxSeconds')}
          hint="Empty: no limit."
        >
          <input
            id="max-seconds"
            type="number"
            min={0.001}
            step="any"
            inputMode="decimal"
            value={maxSeconds}
            onInput={({ currentTarget }) => change('maxSeconds', { maxSeconds: currentTarget.value })}
            {...describedBy('max-seconds', errorOf('maxSeconds'))}
          />
        </Field>
        <Field
          id="require"
          label="Required quality of the qubits"
          error={errorOf('require')}
          hint="Empty: any."
        >
          <input
            id="require"
            autocomplete="off"
            placeholder="readout_fidelity>0.97, calibrated_within=2h"
            value={require}
            onInput={({ currentTarget }) => change('require', { require: currentTarget.value })}
            {...describedBy('require', errorOf('require'))}
          />
        </Field>
        <Field id="name" label="Name" error={errorOf('name')}>
          <input
            id="name"
            maxLength={200}
            autocomplete="off"
            value={name}
            onInput={({ currentTarget }) => change('name', { name: currentTarget.value })}
            {...describedBy('name', errorOf('name'))}
          />
        </Field>
        <Field id="tags" label="Tags, with commas between them" error={errorOf('tags')}>
          <input
            id="tags"
            autocomplete="off"
            value={tags}
            onInput={({ currentTarget }) => change('tags', { tags: currentTarget.value })}
            {...describedBy('tags', errorOf('tags'))}
          />
        </Field>
      </div>
    </Panel>
  )
}
