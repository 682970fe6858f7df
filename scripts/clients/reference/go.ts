import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Entry, renderReference } from './page.ts'

const PACKAGE = join(import.meta.dir, '../../../clients/go')

const OPENING = `All that the package \`svc\` exports; [Use the Go client](../how-to/use-the-go-client.md) is the guide.
Types of requests and responses have the fields of [HTTP routes](routes.md). Generated from the comments by \`npm run docs\`.`

/** Types in the order in which a program meets them; the rest follows by name. */
const FIRST = ['Client', 'Option', 'Submission', 'Circuit', 'Job', 'Result', 'CircuitResult', 'Error']

/** Methods by which values satisfy interfaces of the standard library. */
const CONVENTIONAL = new Set(['String', 'Error', 'Unwrap'])

/** A declaration as gofmt writes it: its lines, after the comment above them. */
interface Declaration {
  comment: string
  lines: readonly string[]
}

interface Func {
  name: string
  /** Type of the receiver of a method; of a function, the exported type of its first result. */
  type: string
  isMethod: boolean
  entry: Entry
}

/**
 * The reference of the Go client, from its sources, in the order of `go doc`.
 *
 * @throws Error if an exported name has no comment.
 */
export function goPage(): string {
  const files = readdirSync(PACKAGE).filter((name) => /(?<!_test)\.go$/.test(name))
  const sources = files.sort().map((name) => readFileSync(join(PACKAGE, name), 'utf8'))
  const declarations = sources.flatMap((text) => declarationsOf(text))
  const wire = readFileSync(join(PACKAGE, 'internal/wire/wire.go'), 'utf8')
  const funcs = declarations.filter(({ lines }) => lines[0]?.startsWith('func ')).flatMap(funcOf)
  const types = declarations.flatMap((each) => typesOf(each, wire))
  const rank = ({ name }: { name: string }) => (FIRST.indexOf(name) + FIRST.length + 1) % (FIRST.length + 1)
  for (const { entry } of types) entry.code = withoutCommon(entry.code, types)
  types.sort((one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : 1))
  const entries = types.map(({ name, entry }) => {
    const own = funcs.filter(({ type }) => type === name)
    const members = [...own.filter((each) => !each.isMethod), ...own.filter((each) => each.isMethod)]
    return { ...entry, members: members.map((each) => each.entry) }
  })
  const overview = declarations.find(({ lines, comment }) => lines[0] === 'package svc' && comment !== '')
  return renderReference(
    'The Go client, name by name',
    `${OPENING}\n\n${overview ? markdownOf(overview) : ''}`,
    [...entries, ...valuesOf(declarations)],
    'go',
  )
}

/** The declarations of a file that start in the first column. */
function declarationsOf(text: string): Declaration[] {
  const found: Declaration[] = []
  let [comment, lines] = [[] as string[], [] as string[]]
  for (const line of text.split('\n')) {
    if (lines.length === 0 && line.startsWith('//')) {
      comment.push(line.slice(2).replace(/^ /, ''))
      continue
    }
    lines.push(line)
    // A block goes on until its bracket in the first column.
    if (/^[\s]|[({]$/.test(line) || (line === '' && lines.length > 1)) continue
    found.push({ comment: comment.join('\n'), lines })
    comment = []
    lines = []
  }
  return found
}

const isExported = (name: string) => /^[A-Z]/.test(name)

const entryOf = (title: string, code: string, text: string): Entry => ({
  title,
  code,
  text,
  fields: [],
  members: [],
})

/** Nothing for a function or method that is not exported. */
function funcOf(declaration: Declaration): Func[] {
  const [head = ''] = declaration.lines
  const match = /^func (?:\(\w+ (\*?)(\w+)\) )?(\w+)/.exec(head)
  const [, pointer, receiver, name = ''] = match ?? []
  if (!isExported(receiver ?? name) || !isExported(name) || (receiver && CONVENTIONAL.has(name))) return []
  const signature = head.slice(0, bodyStart(head)).trimEnd()
  const [, result = ''] = /\) \(?\*?([A-Z]\w*)/.exec(signature) ?? []
  const title = receiver ? `func (${pointer}${receiver}) ${name}` : `func ${name}`
  const text = documented(declaration, name)
  // A comment begins with the name, as Go's do.
  const line = `\`${signature.replace(/^func \(.*?\) /, '')}\` ${text.slice(name.length + 1).replaceAll(/\s+/g, ' ')}`
  const entry = { ...entryOf(title, signature, text), line }
  return [{ name, type: receiver ?? result, isMethod: receiver !== undefined, entry }]
}

/** Where the body of a function begins in its first line. */
function bodyStart(head: string): number {
  let depth = 0
  for (const [at, character] of [...head].entries()) {
    if ('([{'.includes(character)) {
      if (character === '{' && depth === 0) return at
      depth += 1
    } else if (')]}'.includes(character)) depth -= 1
  }
  return head.length
}

/** The exported types of a declaration: one, or those of a group. */
function typesOf({ comment, lines }: Declaration, wire: string): { name: string; entry: Entry }[] {
  const [head = ''] = lines
  const inner =
    head === 'type ('
      ? declarationsOf(lines.slice(1, -1).map(outdented).join('\n')).map((each) => ({
          ...each,
          lines: each.lines.map((line, at) => (at === 0 ? `type ${line}` : line)),
        }))
      : [{ comment, lines }]
  return inner.flatMap((each) => {
    const [, name = ''] = /^type (\w+)/.exec(each.lines[0] ?? '') ?? []
    if (!isExported(name)) return []
    return [{ name, entry: entryOf(`type ${name}`, codeOf(each, name, wire), documented(each, name)) }]
  })
}

/** A struct whose first fields are all those of another one, which a comment names in place of them. */
function withoutCommon(code: string, types: readonly { name: string; entry: Entry }[]): string {
  const open = code.indexOf('{\n') + 2
  for (const { name, entry } of types) {
    const fields = /\{\n(.{200,})\}$/s.exec(entry.code)?.[1]
    const rest = fields && code.startsWith(fields, open) ? code.slice(open + fields.length) : ''
    if (rest.startsWith('\t')) return `${code.slice(0, open)}\t// All fields of ${name}, and:\n${rest}`
  }
  return code
}

const outdented = (line: string) => line.replace(/^\t/, '')

/** A type without fields that are not exported; one of package `wire` with its fields. */
function codeOf({ lines }: Declaration, name: string, wire: string): string {
  const [, alias] = /= wire\.(\w+)$/.exec(lines[0] ?? '') ?? []
  if (alias === undefined) {
    const shown = exportedFields(lines).join('\n')
    return shown.replace(/struct ?\{(?:\n| [a-z][^}]*)\}$/, 'struct{}')
  }
  const [, body] = new RegExp(`^type ${alias} struct \\{\\n(.*?)^\\}`, 'ms').exec(wire) ?? []
  if (body === undefined) throw new Error(`clients/go/internal/wire has no struct ${alias}`)
  const fields = body.replaceAll(/ `json:[^`]*`/g, '').replaceAll(/\n\n/g, '\n')
  return `type ${name} struct {\n${fields}}`
}

function exportedFields(lines: readonly string[]): string[] {
  const shown: string[] = []
  let comment: string[] = []
  for (const line of lines) {
    if (/^\t\/\//.test(line)) comment.push(line)
    else {
      if (!/^\t[a-z]|^\s*$/.test(line)) shown.push(...comment, line.replace(/\s+`json:[^`]*`$/, ''))
      comment = []
    }
  }
  return shown
}

/** Constants and variables: the exported ones of each group, without the expressions that make variables. */
function valuesOf(declarations: readonly Declaration[]): Entry[] {
  return declarations.flatMap((each) => {
    const [, keyword] = /^(const|var) \($/.exec(each.lines[0] ?? '') ?? []
    const inner = exportedFields(each.lines)
    const [, first = ''] = inner.map((line) => /^\t([A-Z]\w*)/.exec(line)?.[1]).filter(Boolean)
    if (keyword === undefined || first === '') return []
    const code = inner.map((line) => (keyword === 'var' ? line.replace(/ = .*$/, '') : line)).join('\n')
    return [entryOf(each.comment.split('\n')[0]?.replace(/[.,;].*$/, '') ?? '', code, markdownOf(each))]
  })
}

/** The docstring of an exported name. */
function documented(declaration: Declaration, name: string): string {
  if (declaration.comment === '') throw new Error(`${name} of clients/go has no comment`)
  return markdownOf(declaration)
}

/** A comment as Markdown: its indented lines are code; stars of its text mean pointers. */
function markdownOf({ comment }: Declaration): string {
  const blocks = comment.split(/\n{2,}/).map((block) => {
    const isCode = block.startsWith('\t')
    if (isCode) return `\`\`\`go\n${block.split('\n').map(outdented).join('\n')}\n\`\`\``
    return block.replaceAll(/[*<]/g, '\\$&')
  })
  return blocks.join('\n\n')
}
