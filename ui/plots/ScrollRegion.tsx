import type { ComponentChildren } from 'preact'

interface ScrollRegionProps {
  /** What it contains, such as `Counts as a table`. */
  label: string
  class: string
  children: ComponentChildren
}

/** A part of a page with scroll bars of its own. It takes the focus, so that the keys scroll it. */
export function ScrollRegion({ label, class: className, children }: ScrollRegionProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by key
    <section class={className} aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}
