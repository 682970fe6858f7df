/** Dots of a braille character by column and row, U+2800 plus their sum. */
const DOTS = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const
const DOT_COLUMNS = 2
const DOT_ROWS = 4
const BRAILLE = 0x2800

/** Wraps a text in a color; returns it unchanged where colors are not wanted. */
export type Paint = (text: string) => string

/**
 * A grid of characters with lines of braille dots, 2 by 4 in a character, and marks above them. Positions are
 * fractions: 0 at the left and at the top, 1 at the right and at the bottom.
 */
export class Canvas {
  readonly width: number
  readonly height: number
  readonly #dots: Uint8Array
  readonly #marks: (string | undefined)[]

  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    this.#dots = new Uint8Array(width * height)
    this.#marks = new Array<string | undefined>(width * height)
  }

  /** The character column or row of a fraction. */
  static cell(fraction: number, count: number): number {
    return Math.max(0, Math.min(count - 1, Math.round(fraction * (count - 1))))
  }

  /** A line through positions; what lies outside is left out. */
  line(points: readonly (readonly [x: number, y: number])[]): void {
    const columns = this.width * DOT_COLUMNS - 1
    const rows = this.height * DOT_ROWS - 1
    for (const [at, [x, y]] of points.entries()) {
      const [fromX, fromY] = points[at - 1] ?? [x, y]
      const steps = Math.ceil(Math.max(Math.abs(x - fromX) * columns, Math.abs(y - fromY) * rows, 1))
      for (let step = 0; step <= steps; step++) {
        const part = step / steps
        this.#dot((fromX + (x - fromX) * part) * columns, (fromY + (y - fromY) * part) * rows)
      }
    }
  }

  #dot(x: number, y: number): void {
    const [column, row] = [Math.round(x), Math.round(y)]
    if (!(column >= 0 && row >= 0 && column < this.width * DOT_COLUMNS && row < this.height * DOT_ROWS))
      return
    const cell = Math.floor(row / DOT_ROWS) * this.width + Math.floor(column / DOT_COLUMNS)
    this.#dots[cell] = (this.#dots[cell] ?? 0) | (DOTS[column % DOT_COLUMNS]?.[row % DOT_ROWS] ?? 0)
  }

  /** A character at a position. */
  mark(x: number, y: number, character: string): void {
    if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1)) return
    this.#marks[Canvas.cell(y, this.height) * this.width + Canvas.cell(x, this.width)] = character
  }

  /** The lines of text. */
  render(paint: { line: Paint; mark: Paint }): string[] {
    return Array.from({ length: this.height }, (_, row) =>
      Array.from({ length: this.width }, (_, column) => {
        const cell = row * this.width + column
        const mark = this.#marks[cell]
        if (mark !== undefined) return paint.mark(mark)
        const dots = this.#dots[cell] ?? 0
        return dots === 0 ? ' ' : paint.line(String.fromCharCode(BRAILLE + dots))
      }).join(''),
    )
  }
}
