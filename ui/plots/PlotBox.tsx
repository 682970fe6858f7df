import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** The width of an element in whole px, 0 until it is known; `box` is its reference. */
export function useWidth(): { box: RefObject<HTMLDivElement | null>; width: Signal<number> } {
  const box = useRef<HTMLDivElement>(null)
  const width = useSignal(0)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      width.value = Math.floor(entry?.contentRect.width ?? 0)
    })
    if (box.current) observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  return { box, width }
}

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
