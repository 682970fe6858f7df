/**
 * The sheet of a page: those of its subjects, in their order.
 * @throws Error naming a subject without a sheet, which the page would miss silently.
 */
export function joinStyles(subjects: string, textOf: ReadonlyMap<string, string>): string {
  return subjects
    .split(' ')
    .map((subject) => {
      const text = textOf.get(subject)
      if (text === undefined) throw new Error(`no ui/css/pages/**/${subject}.css, which the pages name`)
      return text
    })
    .join('')
}
