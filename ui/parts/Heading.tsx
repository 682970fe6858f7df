import type { ComponentChildren } from 'preact'

/**
 * Heading of a page. Its `h1` receives the focus after a navigation. A lead that is not known yet keeps its
 * line, so that what is below does not move when it comes.
 */
export function Heading(props: {
  title: ComponentChildren
  lead?: ComponentChildren
  children?: ComponentChildren
}) {
  const { title, lead, children } = props
  return (
    <header class="heading">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {'lead' in props && <p>{lead}</p>}
      </div>
      {children && <div class="actions">{children}</div>}
    </header>
  )
}

/** The list above a page and, where the heading says something else, the name of the page. */
export function Breadcrumb({
  href,
  list,
  children,
}: {
  href: string
  list: string
  children?: ComponentChildren
}) {
  return (
    <nav class="breadcrumb" aria-label="Breadcrumb">
      <a href={href}>{list}</a>
      {children && <> / {children}</>}
    </nav>
  )
}
