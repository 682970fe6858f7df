import type { DrawOptions } from './draw-trace.ts'

const PLAIN_COLUMNS = 80
const [CYAN, YELLOW, RESET] = ['\u001b[36m', '\u001b[33m', '\u001b[0m']

/**
 * How to draw on a stream: as wide as the terminal and in color, plain and 80 columns wide in a file or a
 * pipe. `NO_COLOR` switches the colors off (https://no-color.org).
 */
export function drawOptionsOf(
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  env: Readonly<Record<string, string | undefined>>,
): DrawOptions {
  if (!stream.isTTY) return { columns: PLAIN_COLUMNS }
  const columns = stream.columns || PLAIN_COLUMNS
  if ((env['NO_COLOR'] ?? '') !== '') return { columns }
  const paint = { line: (text: string) => YELLOW + text + RESET, mark: (text: string) => CYAN + text + RESET }
  return { columns, paint }
}
