import type { ComponentChildren } from 'preact'

/** One line of the estimate. */
export function Row({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
