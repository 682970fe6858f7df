import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type ApiError, asApiError } from '../api/api.ts'
import { createdJob, type Job, job as jobSchema } from '../api/model.ts'
import { useApp } from '../app/app.ts'
import { BELL, type Draft, readDraft, saveDraft } from '../jobs/draft.ts'
import { type Problem, problemsOf, readParameters, remainingProblems } from '../jobs/problems.ts'
import { useDiagnostics } from '../jobs/use-diagnostics.ts'
import { describedBy, Field } from '../parts/Field.tsx'
import { Heading } from '../parts/Heading.tsx'
import { ErrorBox, Panel } from '../parts/Panel.tsx'
import { Program } from '../parts/Program.tsx'
import { QpuField } from '../parts/QpuField.tsx'

/** The job form. The draft survives leaving the page; problems are shown at the field they belong to. */
export function NewJob() {
  const { api, router } = useApp()
  const draft = useSignal<Draft>(readDraft())
  const failure = useSignal<{ error: ApiError; task: string } | undefined>(undefined)
  /** Problems of the last submission; cleared per field when that field changes. */
  const refused = useSignal<readonly Problem[]>([])
  const busy = useSignal(false)
  const form = useRef<HTMLFormElement>(null)
  const { program, parameters, shots, qpu } = draft.value
  const diagnostics = useDiagnostics(program)
  const { inputs } = diagnostics.value
  const found = remainingProblems(diagnostics.value, program)
  const from = router.search.value.get('from')

  const problemsAt = (field: Problem['field']) => {
    const reported = refused.value.filter((problem) => problem.field === field)
    return field === 'program' && reported.length === 0 ? found : reported
  }
  const textAt = (field: Problem['field']) => problemsAt(field)[0]?.text
  const change = (field: Problem['field'], part: Partial<Draft>) => {
    refused.value = refused.value.filter((problem) => problem.field !== field)
    draft.value = { ...draft.value, ...part }
    saveDraft(draft.value)
  }

  useEffect(() => {
    if (!from) return
    api
      .get(`/api/jobs/${encodeURIComponent(from)}`, jobSchema)
      .then((job) => change('program', draftOf(job)))
      .catch((error) => {
        failure.value = { error: asApiError(error), task: 'read that job' }
      })
  }, [from])

  const showFirstProblem = () => {
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus())
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    if (busy.value) return
    failure.value = undefined
    const values = inputs.length > 0 ? readParameters(parameters, inputs) : []
    refused.value = obviousProblems(program, values)
    const isFresh = diagnostics.value.text === program
    if (refused.value.length > 0 || (isFresh && found.length > 0)) {
      showFirstProblem()
      return
    }
    busy.value = true
    try {
      const { id } = await api.post('/api/jobs', bodyOf(draft.value, values), createdJob)
      router.go(`/jobs/${id}`)
    } catch (thrown) {
      const error = asApiError(thrown)
      refused.value = problemsOf(error)
      if (refused.value.length === 0) failure.value = { error, task: 'submit the job' }
      showFirstProblem()
    } finally {
      busy.value = false
    }
  }

  return (
    <>
      <Heading title="New job" lead="One OpenQASM program, run as many times as there are shots." />
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
            <button type="button" class="quiet" onClick={() => change('program', { program: BELL })}>
              Bell example
            </button>
          }
        >
          <div class="padded form">
            <Program
              text={program}
              problems={problemsAt('program')}
              changed={(text) => change('program', { program: text })}
            />
            {inputs.length > 0 && (
              <Field id="parameters" label={`Values for ${inputs.join(', ')}`} error={textAt('parameters')}>
                <input
                  id="parameters"
                  value={parameters}
                  inputMode="decimal"
                  autocomplete="off"
                  onInput={({ currentTarget }) => change('parameters', { parameters: currentTarget.value })}
                  {...describedBy('parameters', textAt('parameters'))}
                />
              </Field>
            )}
            <div class="row">
              <QpuField value={qpu} error={textAt('qpu')} changed={(id) => change('qpu', { qpu: id })} />
              <Field id="shots" label="Shots" error={textAt('shots')}>
                <input
                  id="shots"
                  type="number"
                  min={1}
                  step={1}
                  inputMode="numeric"
                  value={shots}
                  onInput={({ currentTarget }) => change('shots', { shots: currentTarget.value })}
                  {...describedBy('shots', textAt('shots'))}
                />
              </Field>
            </div>
            {failure.value && <ErrorBox {...failure.value} />}
            <div class="actions">
              <button type="submit" class="primary" aria-disabled={busy.value || found.length > 0}>
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

/** Problems that can be found without a request. */
function obviousProblems(program: string, values: number[] | string): Problem[] {
  if (program.trim() === '') return [{ field: 'program', text: 'Write a program' }]
  return typeof values === 'string' ? [{ field: 'parameters', text: values }] : []
}

/** Request body of a submission; `values` is empty for a program without inputs. */
function bodyOf({ program, shots, qpu }: Draft, values: number[] | string) {
  const circuit = values.length > 0 ? { circuit: program, parameter_values: [values] } : { circuit: program }
  const target = qpu ? { qpu_target: qpu } : {}
  return { circuits: [circuit], shots: Number(shots), ...target }
}

/** Converts a job to a draft; of several circuits it takes the first. */
function draftOf(job: Job): Partial<Draft> {
  const [first] = job.payload?.circuits ?? []
  return {
    program: first?.circuit ?? BELL,
    parameters: first?.parameter_values?.[0]?.join(', ') ?? '',
    shots: String(job.payload?.shots ?? ''),
    qpu: job.qpu_target ?? '',
  }
}
