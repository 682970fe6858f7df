import type { ComponentChildren } from 'preact'
import { useWidth } from './use-width.ts'

interface PlotBoxProps {
  /** px, which are kept free until the plot is drawn. */
  height: number
  class?: string
  children: (width: number) => ComponentChildren
}

/** The place of a plot, which is drawn when its width in px is known and whenever that changes. */
export function PlotBox({ height, class: kind, children }: PlotBoxProps) {
  const { box, width } = useWidth()
  return (
    <div ref={box} class={kind ? `plot ${kind}` : 'plot'} style={{ minHeight: `${height}px` }}>
      {width.value > 0 && children(width.value)}
    </div>
  )
}
