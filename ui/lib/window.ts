/** Rows of a long list that are rendered: `from` is included, `to` excluded. */
export interface RowWindow {
  from: number
  to: number
}

/** Pages of `pageRows` rows that a window needs. */
export function pagesOf({ from, to }: RowWindow, pageRows: number): number[] {
  const first = Math.floor(from / pageRows)
  const last = Math.floor(Math.max(from, to - 1) / pageRows)
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

interface Viewport {
  /**
   * Distance of the upper edge of the list above the upper edge of the screen, px; negative if it is below.
   */
  scrolled: number
  /** px. */
  height: number
  rowHeight: number
  rows: number
}

/**
 * The rows on the screen with `margin` more on each side, in steps of `margin`, so that scrolling renders
 * again only every so many rows.
 */
export function windowOf({ scrolled, height, rowHeight, rows }: Viewport, margin = 10): RowWindow {
  const first = Math.floor(scrolled / rowHeight / margin) * margin - margin
  const last = Math.ceil((scrolled + height) / rowHeight / margin) * margin + margin
  const from = Math.min(Math.max(0, first), Math.max(0, rows - 1))
  return { from, to: Math.max(from, Math.min(rows, last)) }
}

/**
 * The most rows that `windowOf` returns for a screen: as many elements show the rows of any window.
 */
export function maxRows({ height, rowHeight }: Pick<Viewport, 'height' | 'rowHeight'>, margin = 10): number {
  return (Math.ceil(height / rowHeight / margin) + 3) * margin
}
