/** A point of a map; the unit is the distance between neighbors. */
export interface Point {
  x: number
  y: number
}
