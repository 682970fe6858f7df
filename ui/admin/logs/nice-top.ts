/** A round number from `most` on, whose half is whole. */
export function niceTop(most: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(2, most)))
  const top = [1, 2, 4, 6, 8, 10].map((factor) => factor * unit).find((each) => each >= most) ?? 10 * unit
  return Math.max(2, top)
}
