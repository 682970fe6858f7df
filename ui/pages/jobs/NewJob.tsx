import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type ApiError, asApiError } from '../../api/api.ts'
import { job as jobSchema } from '../../api/model/jobs.ts'
import { submitJob } from '../../api/submit-job.ts'
import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import type { EditorHandle } from '../../editor/Editor.tsx'
import { useDiagnostics } from '../../jobs/check/use-diagnostics.ts'
import { useDiagram } from '../../jobs/check/use-diagram.ts'
import { useParsed } from '../../jobs/check/use-parsed.ts'
import { type Draft, type DraftProgram, draftOf, readDraft, saveDraft } from '../../jobs/draft.ts'
import { MAX_EXECUTIONS } from '../../jobs/parameter-range.ts'
import { type Problem, problemsOf, remainingProblems } from '../../jobs/problems.ts'
import { bodyOf, executionsOf, problemsIn, setProblems } from '../../jobs/submission.ts'
import { readExpression } from '../../lib/expressions.ts'
import { formatNumberOf, sentence } from '../../lib/format.ts'
import { ErrorBox, Heading } from '../../parts/Panel.tsx'
import { Diagram } from './Diagram.tsx'
import { Estimate } from './edit/Estimate.tsx'
import { Parameters } from './edit/Parameters.tsx'
import { ProgramPanel } from './edit/ProgramPanel.tsx'
import { limitsOf, tooManyQubits, useQpuState } from './edit/qpu-state.ts'
import { RunPanel } from './edit/RunPanel.tsx'

/** The job form. The draft survives leaving the page; problems are shown at the field they belong to. */
export function NewJob() {
  const { api, router, jobs } = useApp()
  const draft = useSignal<Draft>(readDraft())
  const chosen = useSignal(0)
  const line = useSignal<number | undefined>(undefined)
  const failure = useSignal<{ error: ApiError; task: string } | undefined>(undefined)
  /** Problems of the last submission; those of a field are cleared when it changes. */
  const refused = useSignal<readonly Problem[]>([])
  const busy = useSignal(false)
  const editor = useRef<EditorHandle>(null)
  const form = useRef<HTMLFormElement>(null)
  const program = draft.value.programs[chosen.value] ?? { text: '', sets: [] }
  const diagnostics = useDiagnostics(program.text)
  const { inputs } = diagnostics.value
  const isFresh = diagnostics.value.text === program.text
  const state = useQpuState(draft.value.qpu)
  const limits = state && limitsOf(state)
  const values = (program.sets[0] ?? []).map(numberOr0)
  const diagram = useDiagram(program.text, values)
  const device = state?.description
  const fidelity = useParsed(
    device ? { task: 'fidelity', inputs: [program.text, values, device] } : undefined,
    undefined,
    [program.text, values.join(' '), device],
  )

  const here = (problem: Problem) => (problem.program ?? 0) === chosen.value
  const ofProgram = refused.value.filter((problem) => problem.field === 'program' && here(problem))
  const parsed = remainingProblems(diagnostics.value, program.text)
  const shown =
    ofProgram.length > 0 ? ofProgram : [...parsed, ...tooManyQubits(diagnostics.value.qubits, limits)]
  const setProblem = isFresh ? setProblems(inputs, program.sets) : undefined
  const found = problemsIn(draft.value, limits)
  const errorOf = (field: Problem['field']) =>
    [...refused.value, ...found].find((problem) => problem.field === field)?.text
  const ofSets: readonly Problem[] =
    setProblem && parsed.length === 0 ? [{ field: 'parameters', text: setProblem }] : []
  const problemCount = shown.length + found.length + ofSets.length

  const edit = (next: Draft) => {
    draft.value = next
    saveDraft(next)
  }
  const change = (field: Problem['field'], part: Partial<Draft>) => {
    refused.value = refused.value.filter((problem) => problem.field !== field)
    edit({ ...draft.value, ...part })
  }
  const changeProgram = (field: 'program' | 'parameters', part: Partial<DraftProgram>) =>
    change(field, { programs: draft.value.programs.with(chosen.value, { ...program, ...part }) })
  const add = (programs: readonly { text: string; sets?: string[][] }[], isReplacing: boolean) => {
    const added = programs.map(({ text, sets = [] }) => ({ text, sets }))
    const at = chosen.value
    const list = draft.value.programs.toSpliced(isReplacing ? at : at + 1, isReplacing ? 1 : 0, ...added)
    change('program', { programs: list })
    if (!isReplacing) chosen.value = at + 1
  }
  const remove = () => {
    change('program', { programs: draft.value.programs.toSpliced(chosen.value, 1) })
    chosen.value = Math.max(0, chosen.value - 1)
  }
  useLoadedJob(edit, (error) => {
    failure.value = { error, task: 'load that job' }
  })

  const showFirstProblem = () => {
    const [first] = refused.value.length > 0 ? refused.value : [...shown, ...found, ...ofSets]
    // Missing values are reported only after a click or a submission, not while they are still to be entered.
    if (refused.value.length === 0 && first?.field === 'parameters') refused.value = ofSets
    if (first?.program !== undefined) chosen.value = first.program
    requestAnimationFrame(() => {
      if (first?.field === 'program') editor.current?.goTo(first.line ?? 1, first.column ?? 1)
      else
        form.current
          ?.querySelector<HTMLElement>('input[aria-invalid]:not([aria-invalid="false"]), .field-error')
          ?.focus()
    })
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    if (busy.value) return
    failure.value = undefined
    refused.value = ofSets
    if (found.length > 0 || refused.value.length > 0 || (isFresh && shown.length > 0)) {
      showFirstProblem()
      return
    }
    busy.value = true
    try {
      const id = await submitJob(api, bodyOf(draft.value))
      void jobs.load()
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
      <Heading title="New job" lead={leadOf(draft.value)} />
      <form
        ref={form}
        class="new-job"
        noValidate
        onSubmit={submit}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit(event)
        }}
      >
        <div class="columns">
          <div class="stack">
            <ProgramPanel
              texts={draft.value.programs.map(({ text }) => text)}
              chosen={chosen}
              problems={shown}
              line={line}
              editor={editor}
              changed={(text) => changeProgram('program', { text })}
              add={add}
              remove={remove}
            />
            {(inputs.length > 0 || program.sets.length > 0) && (
              <Parameters
                inputs={inputs}
                sets={program.sets}
                problem={errorOf('parameters') ?? (program.sets.length > 0 ? setProblem : undefined)}
                most={MAX_EXECUTIONS - executionsOf(draft.value) + Math.max(1, program.sets.length)}
                changed={(sets) => changeProgram('parameters', { sets })}
              />
            )}
            {diagram.value && (
              <Diagram
                diagram={diagram.value}
                line={line}
                goTo={(at) => editor.current?.goTo(at, 1)}
                file="program"
                note={noteOf(program.sets.length, inputs)}
              />
            )}
          </div>
          <div class="stack beside-program">
            <RunPanel draft={draft.value} change={change} errorOf={errorOf} />
            <Estimate
              draft={draft.value}
              isValid={isFresh && problemCount === 0}
              state={state}
              fidelity={fidelity.value}
            />
          </div>
        </div>
        <div class="submit-bar">
          {failure.value && <ErrorBox {...failure.value} />}
          <SubmitBar isBusy={busy.value} problems={problemCount} goToFirst={showFirstProblem} />
        </div>
      </form>
    </>
  )
}

interface SubmitBarProps {
  isBusy: boolean
  /** Number of problems. */
  problems: number
  goToFirst: () => void
}

/** The button stays focusable with problems and then leads to the first one. */
function SubmitBar({ isBusy, problems, goToFirst }: SubmitBarProps) {
  return (
    <div class="actions">
      <button type="submit" class="primary" aria-disabled={isBusy || problems > 0}>
        {isBusy ? 'Submitting' : 'Submit'}
      </button>
      {problems > 0 ? (
        <button type="button" class="link" onClick={goToFirst}>
          {sentence(formatNumberOf(problems, 'problem'))}, go to the first
        </button>
      ) : (
        <span class="soft keys-hint">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd>
        </span>
      )}
    </div>
  )
}

/** Loads the job that the address names into the form. */
function useLoadedJob(edit: (draft: Draft) => void, failed: (error: ApiError) => void): void {
  const { api } = useApp()
  const from = useQuery().get('from')
  useEffect(() => {
    if (!from) return
    api
      .get(`/api/jobs/${encodeURIComponent(from)}`, jobSchema)
      .then((job) => edit(draftOf(job)))
      .catch((error) => failed(asApiError(error)))
  }, [from])
}

function numberOr0(text: string): number {
  const value = readExpression(text)
  return typeof value === 'number' ? value : 0
}

/** Which values the diagram of a program with inputs shows. */
function noteOf(sets: number, inputs: readonly string[]): string | undefined {
  if (sets > 1) return `Set 1 of ${sets}.`
  return sets === 0 && inputs.length > 0 ? `Drawn with ${inputs.join(', ')} = 0.` : undefined
}

function leadOf({ programs, name }: Draft): string {
  const count =
    programs.length === 1 ? 'One OpenQASM program' : `${sentence(formatNumberOf(programs.length, 'program'))}`
  return `${name ? `${name}: ` : ''}${count}, run as many times as there are shots. The draft stays in this tab.`
}
