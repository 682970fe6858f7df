import type { RefObject } from 'preact'
import type { EditorHandle } from '../../../editor/Editor.tsx'
import { fixOf } from '../../../jobs/fixes.ts'
import type { Problem } from '../../../jobs/problems.ts'

interface ProblemsProps {
  text: string
  problems: readonly Problem[]
  editor: RefObject<EditorHandle | null>
}

/** Problems of the program with links to their places, and a fix where it is certain. */
export function Problems({ text, problems, editor }: ProblemsProps) {
  return (
    <ul class="problems" aria-live="polite" aria-label="Problems of the program">
      {problems.map((problem) => {
        const { line, column = 1, text: message } = problem
        const fix = fixOf(text, problem)
        return (
          <li key={`${line}:${column}:${message}`}>
            <span class="tone-bad" aria-hidden="true">
              ✕
            </span>
            {line !== undefined && (
              <button
                type="button"
                class="link"
                aria-label={`${line}:${column}, line ${line}, column ${column}`}
                onClick={() => editor.current?.goTo(line, column)}
              >
                {line}:{column}
              </button>
            )}
            <span class="grow">{message}</span>
            {fix && (
              <button type="button" onClick={() => editor.current?.change(fix)}>
                {fix.label}
              </button>
            )}
          </li>
        )
      })}
    </ul>
  )
}
