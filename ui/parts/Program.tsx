import { useRef } from 'preact/hooks'
import { offsetOf, type Problem } from '../jobs/problems.ts'

interface ProgramProps {
  text: string
  problems: readonly Problem[]
  changed: (text: string) => void
}

/** A program editor with line numbers; marks lines with problems and links each problem to its position. */
export function Program({ text, problems, changed }: ProgramProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  const lines = text.split('\n').length
  const bad = new Set(problems.map(({ line }) => line))
  const goTo = ({ line = 1, column = 1 }: Problem) => {
    const at = offsetOf(text, line, column)
    area.current?.focus()
    area.current?.setSelectionRange(at, at)
  }
  const numbers = Array.from({ length: lines }, (_, index) => index + 1)
  return (
    <div class={problems.length > 0 ? 'field invalid' : 'field'}>
      <label for="program" class="unseen">
        OpenQASM program
      </label>
      <div class="editor">
        <ol aria-hidden="true">
          {numbers.map((number) => (
            <li key={number} class={bad.has(number) ? 'bad' : undefined}>
              {number}
            </li>
          ))}
        </ol>
        <textarea
          id="program"
          ref={area}
          value={text}
          rows={Math.max(lines, 10)}
          wrap="off"
          spellcheck={false}
          autocapitalize="none"
          autocomplete="off"
          onInput={({ currentTarget }) => changed(currentTarget.value)}
          {...(problems.length > 0 ? { 'aria-invalid': true, 'aria-describedby': 'program-problems' } : {})}
        />
      </div>
      {problems.length > 0 && (
        <ul class="problems" id="program-problems" role="alert">
          {problems.map((problem) => (
            <li key={`${problem.line}:${problem.column}:${problem.text}`} class="field-error">
              {problem.line && (
                <button type="button" class="link" onClick={() => goTo(problem)}>
                  Line {problem.line}
                  {problem.column && `, column ${problem.column}`}
                </button>
              )}{' '}
              {problem.text}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
