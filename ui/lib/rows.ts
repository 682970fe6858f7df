/** Keyboard access to the rows of tables; each row has one link marked `data-row`. */

/** Moves the focus along the rows of the tables on the page; each row has one link marked `data-row`. */
export function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')]
  const focused = document.activeElement
  const at = focused instanceof HTMLElement ? rows.indexOf(focused) : -1
  const next = at === -1 ? rows.at(step === 1 ? 0 : -1) : rows[at + step]
  next?.focus()
}

/** Selects the row of the focused link, or takes it from the selection. */
export function selectRow(): void {
  document.activeElement?.closest('tr')?.querySelector<HTMLElement>('[data-select]')?.click()
}

/** Moves the focus to the filter of the list. */
export function toFilter(): void {
  document.querySelector<HTMLElement>('main input[type="search"], main input[data-filter]')?.focus()
}
