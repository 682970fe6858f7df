import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type ApiError, asApiError } from '../lib/api.ts'
import { useApp } from '../lib/app.ts'
import { BELL, type Draft, readDraft, saveDraft } from '../lib/draft.ts'
import { createdJob, job as jobSchema, type Qpu } from '../lib/model.ts'
import { type Problem, problemsOf } from '../lib/problems.ts'
import { qpuCondition } from '../lib/status.ts'
import { describedBy, Field } from '../parts/Field.tsx'
import { Heading } from '../parts/Heading.tsx'
import { ErrorBox, Panel } from '../parts/Panel.tsx'
import { Program } from '../parts/Program.tsx'

const EMPTY_PROBLEM: Problem = { field: 'program', text: 'Write a program' }

/** The form for a job. The draft survives leaving the page; what the server refuses is shown at its place. */
export function NewJob() {
  const { api, router } = useApp()
  const draft = useSignal<Draft>(readDraft())
  const error = useSignal<ApiError | undefined>(undefined)
  const problems = useSignal<readonly Problem[]>([])
  const busy = useSignal(false)
  const form = useRef<HTMLFormElement>(null)
  const from = router.search.value.get('from')

  const change = (part: Partial<Draft>) => {
    draft.value = { ...draft.value, ...part }
    saveDraft(draft.value)
  }

  useEffect(() => {
    if (!from) return
    api
      .get(`/api/jobs/${encodeURIComponent(from)}`, jobSchema)
      .then((job) =>
        change({
          program: job.payload?.circuits?.[0]?.circuit ?? BELL,
          shots: String(job.payload?.shots ?? draft.value.shots),
          qpu: job.qpu_target ?? '',
        }),
      )
      .catch((failure) => {
        error.value = asApiError(failure)
      })
  }, [from])

  const submit = async (event: Event) => {
    event.preventDefault()
    if (busy.value) return
    const { program, shots, qpu } = draft.value
    error.value = undefined
    problems.value = program.trim() === '' ? [EMPTY_PROBLEM] : []
    if (problems.value.length > 0) return focusFirst()
    busy.value = true
    try {
      const body = {
        circuits: [{ circuit: program }],
        shots: Number(shots),
        ...(qpu ? { qpu_target: qpu } : {}),
      }
      const { id } = await api.post('/api/jobs', body, createdJob)
      router.go(`/jobs/${id}`)
    } catch (failure) {
      const refusal = asApiError(failure)
      problems.value = problemsOf(refusal)
      if (problems.value.length === 0) error.value = refusal
      focusFirst()
    } finally {
      busy.value = false
    }
  }
  const focusFirst = () => {
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus())
  }
  const textOf = (field: Problem['field']) => problems.value.find((problem) => problem.field === field)?.text
  return (
    <>
      <Heading title="New job" lead="One OpenQASM 3 program, run as many times as there are shots." />
      <form
        ref={form}
        noValidate
        onSubmit={submit}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit(event)
        }}
      >
        <Panel
          title="Program"
          aside={
            <button type="button" class="quiet" onClick={() => change({ program: BELL })}>
              Bell example
            </button>
          }
        >
          <div class="padded form">
            <Program
              text={draft.value.program}
              problems={problems.value.filter(({ field }) => field === 'program')}
              changed={(program) => {
                problems.value = problems.value.filter(({ field }) => field !== 'program')
                change({ program })
              }}
            />
            <div class="row">
              <QpuField value={draft.value.qpu} error={textOf('qpu')} changed={(qpu) => change({ qpu })} />
              <Field id="shots" label="Shots" error={textOf('shots')}>
                <input
                  id="shots"
                  type="number"
                  min={1}
                  step={1}
                  inputMode="numeric"
                  value={draft.value.shots}
                  onInput={({ currentTarget }) => change({ shots: currentTarget.value })}
                  {...describedBy('shots', textOf('shots'))}
                />
              </Field>
            </div>
            {error.value && <ErrorBox error={error.value} task="submit the job" />}
            <div class="actions">
              <button type="submit" class="primary" aria-disabled={busy.value}>
                {busy.value ? 'Submitting' : 'Submit'}
              </button>
              <span class="soft keys-hint">
                <kbd>Ctrl</kbd> <kbd>Enter</kbd>
              </span>
            </div>
          </div>
        </Panel>
      </form>
    </>
  )
}

interface QpuFieldProps {
  value: string
  error: string | undefined
  changed: (id: string) => void
}

function QpuField({ value, error, changed }: QpuFieldProps) {
  const { qpus, availability } = useApp()
  const list = qpus.value.value ?? []
  const label = (qpu: Qpu) => {
    const { word, takesJobs } = qpuCondition(qpu, availability.value.value)
    return `${qpu.name}, ${takesJobs ? 'takes jobs' : word.toLowerCase()}`
  }
  return (
    <Field id="qpu" label="QPU" error={error}>
      <select
        id="qpu"
        value={list.some(({ id }) => id === value) ? value : ''}
        onChange={({ currentTarget }) => changed(currentTarget.value)}
        {...describedBy('qpu', error)}
      >
        <option value="">Any that is free</option>
        {list.map((qpu) => (
          <option key={qpu.id} value={qpu.id}>
            {label(qpu)}
          </option>
        ))}
      </select>
    </Field>
  )
}
