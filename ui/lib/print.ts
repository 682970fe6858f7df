import { signal } from '@preact/signals'

/** Time in which what only paper shows is drawn. */
const DRAWN_MS = 500

/** Whether a page shows what only paper has: it is drawn before the dialog of the browser opens. */
export const isPrinting = signal(false)

/** Prints the page with what only paper shows. */
export async function printWhole(): Promise<void> {
  isPrinting.value = true
  await new Promise((drawn) => setTimeout(drawn, DRAWN_MS))
  try {
    window.print()
  } finally {
    isPrinting.value = false
  }
}
