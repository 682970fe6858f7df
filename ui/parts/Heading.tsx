import type { ComponentChildren } from 'preact'

/** The head of a page. Its `h1` takes the focus when the page is opened by a click. */
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
