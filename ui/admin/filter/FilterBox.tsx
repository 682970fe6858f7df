import { useId, useMemo, useRef } from 'preact/hooks'
import { Choices } from './Choices.tsx'
import type { Names } from './names.ts'
import { piecesOf } from './pieces.ts'
import { type Problem, refusedPlace, unknownName } from './problem.ts'
import { useFilterInput } from './use-filter-input.ts'

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
 * is pressed. A name that does not exist is underlined, and its column is stated.
 */
export function FilterBox({ names, value, refused, run }: FilterBoxProps) {
  const id = useId()
  const paint = useRef<HTMLDivElement>(null)
  const filter = useFilterInput(value, names, run)
  const { input, text, caret, completion, chosen } = filter
  const isRun = text === value
  const { problem, message } = useMemo(
    () => findProblem(text, names, isRun ? refused : undefined),
    [text, names, isRun, refused],
  )
  const isRefused = isRun && message !== ''
  const hint = isRun ? '' : `column ${(problem?.at ?? caret) + 1}, Enter to run`
  return (
    <search class="filter-box">
      <div class={isRefused ? 'filter invalid' : 'filter'}>
        <div class="filter-text">
          <div ref={paint} class="filter-paint" aria-hidden="true">
            <Painted text={text} problem={problem} />
          </div>
          <input
            ref={input}
            type="text"
            role="combobox"
            aria-label={`Filter of ${names.collection.name}`}
            aria-expanded={completion.choices.length > 0}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={chosen >= 0 ? `${id}-list-${chosen}` : undefined}
            aria-describedby={`${id}-state`}
            aria-invalid={isRefused || undefined}
            placeholder={placeholderOf(names)}
            spellcheck={false}
            autocomplete="off"
            autocapitalize="none"
            value={text}
            onInput={({ currentTarget: { value: typed, selectionStart } }) =>
              filter.type(typed, selectionStart ?? typed.length)
            }
            onKeyDown={filter.onKey}
            onScroll={({ currentTarget }) => {
              if (paint.current) paint.current.scrollLeft = currentTarget.scrollLeft
            }}
            onBlur={filter.close}
          />
        </div>
        <span class="filter-hint">{hint}</span>
        {text !== '' && (
          <button type="button" class="quiet" onClick={filter.clear}>
            Clear
          </button>
        )}
      </div>
      <p id={`${id}-state`} class={isRun ? 'field-error' : 'hint'} role="status">
        {message && problem ? `Column ${problem.at + 1}: ${message}` : message}
      </p>
      <Choices id={`${id}-list`} choices={completion.choices} chosen={chosen} accept={filter.accept} />
    </search>
  )
}

/** What is wrong with a filter and where, as far as it is known before and after the server was asked. */
function findProblem(text: string, names: Names, refused: string | undefined) {
  const unknown = unknownName(text, names)
  if (refused === undefined) return { problem: unknown, message: unknown?.message ?? '' }
  return { problem: refusedPlace(text, refused) ?? unknown, message: refused }
}

function placeholderOf({ collection }: Names): string {
  const choice = collection.fields.find(({ type, values }) => type === 'select' && values.length > 0)
  if (choice) return `${choice.name} = "${choice.values[0]}" && created > @todayStart`
  const isNamed = collection.fields.some(({ name }) => name === 'name')
  return isNamed ? 'name ~ "text" && created > @todayStart' : 'created > @todayStart'
}

/** The filter in colors, behind the transparent text of the input. */
function Painted({ text, problem }: { text: string; problem: Problem | undefined }) {
  const [from, to] = problem ? [problem.at, problem.at + Math.max(1, problem.length)] : [0, 0]
  return (
    <>
      {piecesOf(text).map(({ kind, text: piece, at }) => (
        <span key={at} class={`f-${kind}${at >= from && at < to ? ' f-wrong' : ''}`}>
          {piece}
        </span>
      ))}
      {problem && problem.at >= text.length && <span class="f-wrong">{'\u00a0'}</span>}
    </>
  )
}
