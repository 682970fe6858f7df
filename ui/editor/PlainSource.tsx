import { useMemo } from 'preact/hooks'
import { ScrollRegion } from '../plots/ScrollRegion.tsx'
import { coloredParts } from './qasm-words.ts'

export interface SourceProps {
  text: string
  label: string
  /** The line to highlight. */
  line?: number | undefined
  /** Called with the line of the caret. */
  moved?: (line: number) => void
}

/** Longer programs have no colors here: each part is an element. */
const MAX_COLORED = 50_000

/** A program to read, with colors and numbers of lines, without the code of the editor. */
export function PlainSource({ text, label }: Pick<SourceProps, 'text' | 'label'>) {
  const lines = text.split('\n').length
  const parts = useMemo(() => (text.length <= MAX_COLORED ? coloredParts(text) : undefined), [text])
  return (
    <ScrollRegion class="source numbered" label={label}>
      <pre aria-hidden="true">{Array.from({ length: lines }, (_, at) => at + 1).join('\n')}</pre>
      <pre>
        {parts
          ? parts.map(({ text: part, kind }, at) =>
              kind ? (
                <span key={at} class={`token-${kind}`}>
                  {part}
                </span>
              ) : (
                part
              ),
            )
          : text}
      </pre>
    </ScrollRegion>
  )
}
