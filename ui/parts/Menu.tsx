import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'

/** An entry of a menu: a link or an action. */
export interface MenuItem {
  title: string
  href?: string
  run?: () => void
  tone?: 'bad'
}

interface MenuProps {
  /** The content of the button. */
  button: ComponentChildren
  /** Name of the button where its content does not say what it opens. */
  label?: string
  class?: string
  items?: readonly MenuItem[]
  /** Content instead of items, or above them. */
  children?: ComponentChildren
  onOpen?: () => void
}

const GAP = 4

/** A button that opens a list of actions or a small panel below it. */
export function Menu({ button, label, class: className = '', items = [], children, onOpen }: MenuProps) {
  const id = useId()
  const opener = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const place = (open: boolean) => {
    if (!open || !opener.current || !panel.current) return
    const from = opener.current.getBoundingClientRect()
    const { style, offsetWidth, offsetHeight } = panel.current
    const left = Math.min(Math.max(8, from.right - offsetWidth), innerWidth - offsetWidth - 8)
    const below = from.bottom + GAP
    const top = below + offsetHeight > innerHeight ? Math.max(8, from.top - GAP - offsetHeight) : below
    style.left = `${left}px`
    style.top = `${top}px`
    onOpen?.()
  }
  const close = () => panel.current?.hidePopover()
  return (
    <>
      <button ref={opener} type="button" class={className} aria-label={label} popovertarget={id}>
        {button}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys move the focus among its items */}
      <div
        ref={panel}
        id={id}
        class="menu"
        popover="auto"
        onToggle={(event) => place(event.newState === 'open')}
        onKeyDown={(event) => walk(event, panel.current)}
      >
        {children}
        {items.map(({ title, href, run, tone }) =>
          href === undefined ? (
            <button
              key={title}
              type="button"
              class={tone === 'bad' ? 'item tone-bad' : 'item'}
              onClick={() => {
                close()
                run?.()
              }}
            >
              {title}
            </button>
          ) : (
            <a key={title} class="item" href={href} onClick={close}>
              {title}
            </a>
          ),
        )}
      </div>
    </>
  )
}

/** Arrow keys walk along the items. */
function walk(event: KeyboardEvent, panel: HTMLElement | null): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0 || !panel) return
  const items = [...panel.querySelectorAll<HTMLElement>('.item')]
  const at = document.activeElement instanceof HTMLElement ? items.indexOf(document.activeElement) : -1
  const next = at === -1 ? items.at(step === 1 ? 0 : -1) : items[(at + step + items.length) % items.length]
  if (!next) return
  event.preventDefault()
  next.focus()
}
