/** One exported name with its declaration and its docstring. */
export interface Entry {
  /** Heading, such as `Job` or `type Job`. */
  title: string
  /** Declaration as it stands in a program. */
  code: string
  /** Docstring as Markdown. */
  text: string
  /** Fields and properties, each a line. */
  fields: readonly { code: string; text: string }[]
  /** Methods, and in Go what makes a value of the type. */
  members: readonly Entry[]
}

/** A page of entries, each below its heading. `language` is that of the code blocks. */
export function renderReference(
  title: string,
  opening: string,
  entries: readonly Entry[],
  language: string,
): string {
  const parts = entries.flatMap((entry) => partsOf(entry, '##', language))
  return `${[`# ${title}`, opening, ...parts].filter(Boolean).join('\n\n')}\n`
}

function partsOf(entry: Entry, level: string, language: string): string[] {
  const { title, code, text, fields, members } = entry
  const lines = fields.map((field) => `- \`${field.code}\`${field.text === '' ? '' : `. ${field.text}`}`)
  return [
    `${level} ${title}`,
    `\`\`\`${language}\n${code}\n\`\`\``,
    text,
    lines.join('\n'),
    ...members.flatMap((member) => partsOf(member, `${level}#`, language)),
  ]
}
