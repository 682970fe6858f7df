import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

interface DialogProps {
  title: string
  open: boolean
  /** Called when it is closed, also by Esc. */
  onClose: () => void
  /** Asked before Esc closes it; false keeps it open. */
  mayClose?: () => boolean
  wide?: boolean
  class?: string
  children: ComponentChildren
}

/** A modal dialog. It keeps the focus inside and gives it back when it closes. */
export function Dialog({ title, open, onClose, mayClose, wide, class: className, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isGone = useRef(false)
  const id = useId()
  // Before the next key: the focus is in the dialog when it is rendered.
  useLayoutEffect(() => {
    const element = dialog.current
    if (!open || !element) return undefined
    const opener = document.activeElement
    isGone.current = false
    element.showModal()
    return () => {
      isGone.current = true
      // A dialog that was removed while it was open does not give the focus back.
      if (element.isConnected && element.open) element.close()
      else if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus()
    }
  }, [open])
  if (!open) return null
  return (
    <dialog
      ref={dialog}
      class={wide ? 'wide' : className}
      aria-labelledby={id}
      onClose={() => !isGone.current && onClose()}
      onCancel={(event) => {
        if (mayClose && !mayClose()) event.preventDefault()
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}
