import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import type { Job } from '../../../api/model/jobs.ts'
import type { SourceProps } from '../../../editor/PlainSource.tsx'
import { useDiagram } from '../../../jobs/check/use-diagram.ts'
import { formatNumberOf, sentence } from '../../../lib/format.ts'
import { isPrinting } from '../../../lib/print.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { Panel } from '../../../parts/Panel.tsx'
import { formatAngle } from '../../../plots/circuit-layout.ts'
import { CircuitChoice } from '../CircuitChoice.tsx'
import { Diagram } from '../Diagram.tsx'

/** Parameter sets that are listed. */
const MAX_SETS = 20

export interface ProgramsProps {
  job: Job
  /** Shows the text of a program: with the code of the editor, or without it. */
  source: ComponentType<SourceProps>
}

/** The programs of a job, one at a time, with diagram and parameter values. */
export function Programs({ job, source: Source }: ProgramsProps) {
  const circuits = job.payload?.circuits ?? []
  const chosen = useSignal(0)
  const line = useSignal<number | undefined>(undefined)
  const entry = circuits[chosen.value]
  const sets = entry?.parameter_values ?? []
  const diagram = useDiagram(entry?.circuit ?? '', sets[0] ?? [])
  if (!entry) return null
  const file = circuits.length > 1 ? `${job.id}-${chosen.value + 1}` : job.id
  return (
    <div class="stack programs">
      {diagram.value && (
        <Diagram
          diagram={diagram.value}
          line={line}
          file={file}
          note={sets.length > 1 ? `Set 1 of ${sets.length}.` : undefined}
        />
      )}
      <Panel
        title="Program"
        aside={
          <div class="actions">
            {circuits.length > 1 && <CircuitChoice names={circuits.map(() => '')} chosen={chosen} />}
            <button
              type="button"
              onClick={() => saveFile(new Blob([entry.circuit], { type: 'text/plain' }), `${file}.qasm`)}
            >
              QASM
            </button>
          </div>
        }
      >
        <div class="padded">
          <Source
            key={chosen.value}
            text={entry.circuit}
            label="Program"
            line={line.value}
            moved={(at) => (line.value = at)}
          />
          {sets.length > 0 && <Sets sets={sets} />}
        </div>
      </Panel>
    </div>
  )
}

function Sets({ sets }: { sets: readonly (readonly number[])[] }) {
  return (
    <details open={isPrinting.value}>
      <summary>{sentence(formatNumberOf(sets.length, 'parameter set'))}</summary>
      <ol class="sets">
        {sets.slice(0, MAX_SETS).map((values, index) => (
          <li key={index}>
            <code>{values.map(formatAngle).join(', ')}</code>
          </li>
        ))}
      </ol>
      {sets.length > MAX_SETS && <p class="soft">and {sets.length - MAX_SETS} more</p>}
    </details>
  )
}
