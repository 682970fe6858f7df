import { useEffect } from 'preact/hooks'
import type { Choice } from './completion.ts'

interface ChoicesProps {
  /** Id of the list; options get `<id>-<index>`. */
  id: string
  choices: readonly Choice[]
  chosen: number
  accept: (choice: Choice) => void
}

/** The completions below a filter. */
export function Choices({ id, choices, chosen, accept }: ChoicesProps) {
  useEffect(() => document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' }), [chosen])
  if (choices.length === 0) return <div id={id} role="listbox" aria-label="Completions" hidden />
  return (
    <div class="completions">
      <div id={id} role="listbox" aria-label="Completions">
        {choices.map((choice, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the input names the active option instead
          <div
            key={choice.text}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === chosen}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => accept(choice)}
          >
            <code>{choice.text}</code>
            <span>{choice.detail}</span>
          </div>
        ))}
      </div>
      <p aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>Tab</kbd> accept <kbd>Enter</kbd> run
      </p>
    </div>
  )
}
