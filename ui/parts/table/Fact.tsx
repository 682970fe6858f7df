import type { ComponentChildren } from 'preact'

/** A fact of a list of them, with its name. */
export function Fact({ name, children }: { name: ComponentChildren; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
