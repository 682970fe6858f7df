import type { Form } from './use-form.ts'

/** The failure of a form that belongs to no field; announced when it appears. */
export function FormProblem<Values extends object>({ form }: { form: Form<Values> }) {
  const problem = form.problem.value
  if (!problem) return null
  return (
    <p class="field-error" role="alert">
      {problem.message}
      {problem.requestId && (
        <small>
          {' '}
          Request <code>{problem.requestId}</code>
        </small>
      )}
    </p>
  )
}
