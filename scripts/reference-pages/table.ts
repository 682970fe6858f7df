/** Text in a cell of a table in Markdown. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
/** A row of a table in Markdown. */
export const row = (...cells: string[]) => `| ${cells.map(cell).join(' | ')} |`
