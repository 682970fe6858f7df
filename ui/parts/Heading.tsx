import type { ComponentChildren } from 'preact'

/** Heading of a page. Its `h1` receives the focus after a navigation. */
export function Heading({
  title,
  lead,
  children,
}: {
  title: ComponentChildren
  lead?: ComponentChildren
  children?: ComponentChildren
}) {
  return (
    <header class="heading">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {lead && <p>{lead}</p>}
      </div>
      {children && <div class="actions">{children}</div>}
    </header>
  )
}
