/** One exported name with its declaration and its docstring. */
export interface Entry {
  /** Heading, such as `Job` or `type Job`. */
  title: string
  /** Declaration as it stands in a program. */
  code: string
  /** Docstring as Markdown. */
  text: string
  /** The member as a line of its type, if that differs from declaration and docstring. */
  line?: string
  /** Fields and properties, each a line. */
  fields: readonly { code: string; text: string }[]
  /** Methods, and in Go what makes a value of the type. */
  members: readonly Entry[]
}

/** A declaration that says no more than its heading. */
const BARE = /^(?:class|interface) [\w<>]+$|^type \w+ struct\{\}$/

/** Characters of a docstring from which a member has a heading. */
const MAX_SHORT_TEXT = 160

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
  const short = members
    .filter(isShort)
    .map((member) => `- ${member.line ?? `\`${member.code}\`. ${joined(member.text)}`}`)
  return [
    `${level} ${title}`,
    BARE.test(code) ? '' : `\`\`\`${language}\n${code}\n\`\`\``,
    text,
    [...lines, ...short].join('\n'),
    ...members.filter((member) => !isShort(member)).flatMap((each) => partsOf(each, `${level}#`, language)),
  ]
}

const joined = (text: string) => text.replaceAll(/\s+/g, ' ')

/** Whether a member fits in a line of its class, as a field does, and needs no heading. */
const isShort = ({ code, text, members }: Entry) =>
  !code.includes('\n') && members.length === 0 && !text.includes('\n\n') && text.length < MAX_SHORT_TEXT
