/** What a step of a recipe does to a file of the checkout. */
export type Edit =
  | { file: string; content: string }
  /** Inserts `text` before or after `anchor`, which the file contains once. */
  | { file: string; before: string; text: string }
  | { file: string; after: string; text: string }

/** A section of CONTRIBUTING.md carried out with an example. */
export interface Recipe {
  /** The heading of the section, without `## `. */
  heading: string
  /** The names of the example, by the placeholders of the section: `<name>` → `cold_heads`. */
  names?: Readonly<Record<string, string>>
  edits: readonly Edit[]
  /** The commands of the section after the edits, in their order. */
  commands: readonly string[]
}

/**
 * Where a recipe and its section differ: each file that the recipe edits and each command must be named in
 * the section, and each command of the section must be executed. Empty if they agree.
 */
export function differences({ heading, names = {}, edits, commands }: Recipe, page: string): string[] {
  const [, rest] = page.split(`\n## ${heading}\n`)
  if (rest === undefined) return [`CONTRIBUTING.md has no section "${heading}"`]
  let section = rest.split('\n## ')[0] ?? ''
  for (const [placeholder, name] of Object.entries(names)) section = section.replaceAll(placeholder, name)
  const unnamed = edits.filter(({ file }) => !section.includes(`\`${file}\``))
  const printed = [...section.matchAll(/`((?:[A-Z_]+=\S+ )?npm (?:run|test) [^`]+)`/g)].map(
    ([, command = '']) => command.replace(/\s+/g, ' '),
  )
  return [
    ...unnamed.map(({ file }) => `"${heading}" does not name ${file}`),
    ...commands
      .filter((command) => !printed.includes(command))
      .map((command) => `"${heading}" does not print ${command}`),
    ...printed
      .filter((command) => !commands.includes(command) && !command.startsWith('npm run attack'))
      .map((command) => `${command} of "${heading}" is not executed`),
  ]
}

/** `source` after an edit. @throws Error when it contains the anchor of the edit not exactly once. */
export function edited(source: string, edit: Edit): string {
  if ('content' in edit) return edit.content
  const anchor = 'before' in edit ? edit.before : edit.after
  const [head, tail, ...more] = source.split(anchor)
  if (head === undefined || tail === undefined || more.length > 0)
    throw new Error(`${edit.file} does not contain "${anchor}" once`)
  return 'before' in edit ? head + edit.text + anchor + tail : head + anchor + edit.text + tail
}
