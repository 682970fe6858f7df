import type { ComponentChildren } from 'preact'

/** The text of a heading, and its class: `number` over figures, `unseen` for one that is only read aloud. */
export type BookHead = string | readonly [text: string, kind: string]

interface BookTableProps {
  head: readonly BookHead[]
  /** Beside `book`. */
  class?: string
  label?: string
  /** The rows. */
  children: ComponentChildren
}

/** A table whose rows are written out, with its headings. */
export function BookTable({ head, class: className, label, children }: BookTableProps) {
  return (
    <table class={className ? `book ${className}` : 'book'} aria-label={label}>
      <thead>
        <tr>
          {head.map((each) => {
            const [text, kind] = typeof each === 'string' ? [each] : each
            return (
              <th key={text} scope="col" class={kind === 'unseen' ? undefined : kind}>
                {kind === 'unseen' ? <span class="unseen">{text}</span> : text}
              </th>
            )
          })}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}

/** Headings of columns of figures. */
export const numberHeads = (texts: readonly string[]): BookHead[] => texts.map((text) => [text, 'number'])
