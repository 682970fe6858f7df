/** More values than this have no tick each: a solid block of ticks would tell nothing. */
export const MAX_TICKS = 150
const BINS = 64
const HEIGHT = 12
const BOTTOM = 15

/**
 * The path of the marks above a scale: a tick per place (0 to 1), or bars as high as the share of the places
 * in their bin.
 */
export function rulerTicks(places: readonly number[], width: number): string {
  const at = (place: number) => (1 + place * (width - 2)).toFixed(1)
  if (places.length <= MAX_TICKS) return places.map((place) => `M${at(place)} 4v10`).join('')
  const counts = new Array<number>(BINS).fill(0)
  for (const place of places) {
    const bin = Math.min(BINS - 1, Math.max(0, Math.floor(place * BINS)))
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  const most = Math.max(...counts)
  return counts
    .map((count, bin) => {
      const height = (HEIGHT * count) / most
      return count === 0 ? '' : `M${at((bin + 0.5) / BINS)} ${BOTTOM}v${-Number(height.toFixed(1))}`
    })
    .join('')
}
