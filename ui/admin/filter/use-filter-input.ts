import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Choice, type Completion, complete } from './completion.ts'
import type { Names } from './names.ts'

/** The text of a filter while it is being typed, and what may complete it. */
interface FilterInput {
  input: RefObject<HTMLInputElement | null>
  text: string
  /** Index of the caret, from 0. */
  caret: number
  completion: Completion
  /** Index of the choice that the arrow keys have reached; -1 before. */
  chosen: number
  type(text: string, caret: number): void
  accept(choice: Choice): void
  close(): void
  clear(): void
  onKey(event: KeyboardEvent): void
}

const NONE: Completion = { from: 0, to: 0, choices: [] }

/** Keeps a filter being typed: arrow keys choose, Tab accepts, Enter runs it, Ctrl+Space completes. */
export function useFilterInput(value: string, names: Names, run: (filter: string) => void): FilterInput {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(value)
  const [completion, setCompletion] = useState<Completion>(NONE)
  const [chosen, setChosen] = useState(-1)
  useEffect(() => setText(value), [value, names.collection.name])
  const caret = () => input.current?.selectionStart ?? text.length
  const close = () => setCompletion(NONE)

  const offer = (next: string, at: number) => {
    const found = complete(next, at, names)
    const [only, ...others] = found.choices
    const isDone = others.length === 0 && only?.text === next.slice(found.from, found.to)
    setCompletion(isDone ? NONE : found)
    setChosen(-1)
  }
  const accept = ({ text: word }: Choice) => {
    const { from, to } = completion
    const gap = word.endsWith('(') || to < text.length ? '' : ' '
    const next = text.slice(0, from) + word + gap + text.slice(to)
    const end = from + word.length + gap.length
    setText(next)
    close()
    requestAnimationFrame(() => {
      input.current?.setSelectionRange(end, end)
      if (gap !== '') offer(next, end)
    })
  }
  const submit = () => {
    const choice = completion.choices[chosen]
    if (choice) return accept(choice)
    close()
    run(text.trim())
  }
  const { choices } = completion
  const move = (step: 1 | -1) => {
    const from = chosen === -1 && step === -1 ? choices.length : chosen
    setChosen((from + step + choices.length) % choices.length)
  }
  /** What the keys do while choices are shown. */
  const whileOpen: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Escape: close,
    Tab: () => {
      const choice = choices[Math.max(chosen, 0)]
      if (choice) accept(choice)
    },
  }
  const actionOf = ({ key, ctrlKey, shiftKey }: KeyboardEvent): (() => void) | undefined => {
    if (key === 'Enter') return submit
    if (key === ' ' && ctrlKey) return () => offer(text, caret())
    return choices.length > 0 && !(key === 'Tab' && shiftKey) ? whileOpen[key] : undefined
  }
  return {
    input,
    text,
    caret: caret(),
    completion,
    chosen,
    accept,
    close,
    type(next, at) {
      setText(next)
      offer(next, at)
    },
    clear() {
      setText('')
      run('')
      input.current?.focus()
    },
    onKey(event) {
      const action = actionOf(event)
      if (!action) return
      event.preventDefault()
      event.stopPropagation()
      action()
    },
  }
}
