/** The menu of documents and the list of headings follow what is read. */

/** Scrolls the menu, which may be longer than the window, to the document that is shown. */
export function showCurrentDocument(): void {
  const menu = document.querySelector('#menu')
  const current = menu?.querySelector<HTMLElement>('[aria-current]')
  // Unlike scrollIntoView(), this moves only the menu.
  if (menu && current) menu.scrollTop = current.offsetTop - menu.clientHeight / 2
}

/** Marks the heading of the section at the top of the window in the list beside the text. */
export function markShownHeading(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.docs-aside a')]
  const headings = links.flatMap(
    (link) => document.getElementById(decodeURIComponent(link.hash.slice(1))) ?? [],
  )
  if (headings.length === 0) return
  const mark = () => {
    const top = Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0
    const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 1
    const passed = headings.filter((heading) => heading.getBoundingClientRect().top <= top + 8)
    const shown = isAtEnd ? headings.at(-1) : passed.at(-1)
    for (const link of links) {
      if (shown && link.hash === `#${shown.id}`) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
    }
  }
  let frame = 0
  addEventListener(
    'scroll',
    () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(mark)
    },
    { passive: true },
  )
  mark()
}
