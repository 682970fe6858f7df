import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import { useLazyEditor } from '../../editor/use-lazy-editor.ts'
import { listenForKeys } from '../../lib/keys.ts'
import { complete } from './completion.ts'
import type { Names } from './names.ts'
import { oneLine, piecesOf } from './pieces.ts'
import { refusedPlace, unknownName } from './problem.ts'

interface FilterBoxProps {
  names: Names
  /** The filter of the list that is shown. */
  value: string
  /** Why the server refused the filter. */
  refused: string | undefined
  run: (filter: string) => void
}

/**
 * A filter in the language of the record routes, with completion. The list keeps its last result until Enter
 * is pressed. A name that does not exist is underlined, and its column is stated. A plain field stands here
 * until a person enters it and the code of the editor has loaded.
 */
export function FilterBox({ names, value, refused, run }: FilterBoxProps) {
  const id = useId()
  const plain = useRef<HTMLInputElement>(null)
  const shown = oneLine(value)
  const [text, setText] = useState(shown)
  const submit = () => run(text.trim())
  const newest = useRef({ names, text, submit })
  newest.current = { names, text, submit }
  const label = `Filter of ${names.collection.name}`
  const example = exampleOf(names)
  const [isEntered, setIsEntered] = useState(false)
  const load = async () => {
    const { openFilterEditor } = await import('./filter-editor.ts')
    return (root: ShadowRoot) => {
      const field = plain.current
      const opened = openFilterEditor({
        root,
        text: newest.current.text,
        caret: field?.selectionStart ?? 0,
        label,
        example,
        language: {
          piecesOf,
          oneLine,
          complete: (filter, caret) => complete(filter, caret, newest.current.names),
        },
        changed: setText,
        run: () => newest.current.submit(),
      })
      if (field && document.activeElement === field) opened.focus()
      return opened
    }
  }
  const { host, editor } = useLazyEditor(isEntered ? load : undefined, [isEntered])
  const focus = () => (editor ?? plain.current)?.focus()
  const replace = (next: string) => {
    setText(next)
    editor?.setText(next)
  }

  const isRun = text === shown
  const { problem, message } = useMemo(
    () => findProblem(text, names, isRun ? refused : undefined),
    [text, names, isRun, refused],
  )
  const isRefused = isRun && message !== ''
  const error = message && problem ? `Column ${problem.at + 1}: ${message}` : message
  useEffect(() => replace(shown), [shown])
  useEffect(() => editor?.show(problem, isRefused ? error : ''), [editor, problem, isRefused, error])
  useEffect(() => listenForKeys([{ keys: ['/'], does: 'Filter', run: focus }]), [editor])

  return (
    <search class="filter-box">
      <div class={isRefused ? 'filter invalid' : 'filter'}>
        <div class="filter-text">
          <div ref={host} />
          {!editor && (
            <input
              ref={plain}
              type="text"
              aria-label={label}
              aria-describedby={`${id}-state`}
              placeholder={example}
              spellcheck={false}
              autocomplete="off"
              autocapitalize="none"
              value={text}
              onFocus={() => setIsEntered(true)}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
              onKeyDown={({ key }) => key === 'Enter' && submit()}
            />
          )}
        </div>
        {!isRun && (
          <span class="filter-hint">
            <kbd>Tab</kbd> completes, <kbd>Enter</kbd> runs
          </span>
        )}
        {text !== '' && (
          <button
            type="button"
            class="quiet"
            onClick={() => {
              replace('')
              run('')
              focus()
            }}
          >
            Clear
          </button>
        )}
      </div>
      <p id={`${id}-state`} class={isRun ? 'field-error' : 'hint'} role="status">
        {error}
      </p>
    </search>
  )
}

/** What is wrong with a filter and where, as far as it is known before and after the server was asked. */
function findProblem(text: string, names: Names, refused: string | undefined) {
  const unknown = unknownName(text, names)
  if (refused === undefined) return { problem: unknown, message: unknown?.message ?? '' }
  return { problem: refusedPlace(text, refused) ?? unknown, message: refused }
}

function exampleOf({ collection }: Names): string {
  const choice = collection.fields.find(({ type, values }) => type === 'select' && values.length > 0)
  if (choice) return `${choice.name} = "${choice.values[0]}" && created > @todayStart`
  const isNamed = collection.fields.some(({ name }) => name === 'name')
  return isNamed ? 'name ~ "text" && created > @todayStart' : 'created > @todayStart'
}
