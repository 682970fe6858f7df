/** The visible part of a map: its left upper corner as shares of the map, and how much larger it is shown. */
export interface View {
  zoom: number
  x: number
  y: number
}

export const FULL_VIEW: View = { zoom: 1, x: 0, y: 0 }
const MAX_ZOOM = 12

/** The view zoomed by a factor; the point of the map at `at` (shares of the visible part) stays in place. */
export function zoomed(view: View, factor: number, at: { x: number; y: number }): View {
  const zoom = Math.min(MAX_ZOOM, Math.max(1, view.zoom * factor))
  const keep = (start: number, share: number) => start + share / view.zoom - share / zoom
  return within({ zoom, x: keep(view.x, at.x), y: keep(view.y, at.y) })
}

/** The view moved by shares of its visible part. */
export function panned(view: View, by: { x: number; y: number }): View {
  return within({ ...view, x: view.x + by.x / view.zoom, y: view.y + by.y / view.zoom })
}

function within({ zoom, x, y }: View): View {
  const most = 1 - 1 / zoom
  return { zoom, x: Math.min(most, Math.max(0, x)), y: Math.min(most, Math.max(0, y)) }
}

/** The `viewBox` of a drawing of this size. */
export function viewBox({ zoom, x, y }: View, { width, height }: { width: number; height: number }): string {
  return [x * width, y * height, width / zoom, height / zoom].map((value) => value.toFixed(2)).join(' ')
}
