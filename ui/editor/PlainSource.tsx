import { ScrollRegion } from '../plots/ScrollRegion.tsx'

export interface SourceProps {
  text: string
  label: string
  /** The line to highlight. */
  line?: number | undefined
  /** Called with the line of the caret. */
  moved?: (line: number) => void
}

/** A program to read without the code that highlights it, which is most of the weight of a page. */
export function PlainSource({ text, label }: Pick<SourceProps, 'text' | 'label'>) {
  return (
    <ScrollRegion class="source" label={label}>
      <pre>{text}</pre>
    </ScrollRegion>
  )
}
