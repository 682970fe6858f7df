import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Entry, renderReference } from './page.ts'

const ROOT = join(import.meta.dir, '../../..')

const OPENING = `All that \`@svc/client\` exports; [Use the JavaScript client](../how-to/use-the-javascript-client.md) is the guide.
\`wire\` has the types of requests and responses, field by field as in [HTTP routes](routes.md).
Generated from the docstrings by \`npm run docs\`.`

/** What a program meets first, in this order; the rest follows as \`index.ts\` exports it. */
const FIRST = ['SvcClient', 'TransportOptions', 'Submission', 'Circuit', 'Job', 'Result', 'CircuitResult']

/** A declaration at the top of a file, or a member of one. */
interface Declaration {
  name: string
  code: string
  comment: string
}

/**
 * The reference of the JavaScript client, from the declarations that the compiler writes of its sources.
 *
 * @throws Error if an exported type or method has no docstring.
 */
export function javascriptPage(): string {
  const found = declarationsOf(compile())
  const entries = found.exported.map((each) => entryOf(each, found.all))
  return renderReference('The JavaScript client, name by name', OPENING, entries, 'ts')
}

/** The text of each file of declarations, by its name without folder. */
function compile(): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-declarations-'))
  try {
    const command = [join(ROOT, 'node_modules/.bin/tsc'), '-p', join(ROOT, 'clients/js')]
    const run = Bun.spawnSync([...command, '--emitDeclarationOnly', '--outDir', folder])
    if (run.exitCode !== 0) throw new Error(`tsc: ${run.stdout}${run.stderr}`)
    const files = [...new Bun.Glob('*.d.ts').scanSync(folder)]
    return new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** All declarations of the files, and those that `index.d.ts` exports, in order. */
function declarationsOf(files: ReadonlyMap<string, string>) {
  const byFile = new Map([...files].map(([file, text]) => [file, declarationsIn(text, 0)]))
  const all = new Map([...byFile.values()].flat().map((each) => [each.name, each]))
  const names = new Set(FIRST)
  const lists = (files.get('index.d.ts') ?? '').matchAll(
    /^export (?:type )?(?:\{([^}]*)\}|\*) from '\.\/(\S+)\.ts';$/gm,
  )
  for (const [, list, file] of lists) {
    const own = list?.split(',') ?? byFile.get(`${file}.d.ts`)?.map(({ name }) => name) ?? []
    for (const name of own) names.add(name.replace(/^\s*type /, '').trim())
  }
  // A function that a module exports for others of the package is no part of the interface.
  const exported = [...names].map((name) => all.get(name)).filter((each) => each !== undefined)
  return { all, exported: exported.filter(({ code }) => !code.startsWith('export declare function')) }
}

/** The declarations whose first and last lines have an indentation of `indent` spaces. */
function declarationsIn(text: string, indent: number): Declaration[] {
  const found: Declaration[] = []
  let [comment, code] = [[] as string[], [] as string[]]
  for (const line of text.split('\n').map((each) => each.slice(indent))) {
    const isInComment = code.length === 0 && /^\/\*\*| \*/.test(line)
    if (isInComment) comment = line.startsWith('/**') ? [line] : [...comment, line]
    else code.push(line)
    if (isInComment || !/^[^\s].*[;}]$|^[;}]/.test(line)) continue
    found.push({
      name: nameOf(code[0] ?? ''),
      code: code.join('\n').replace(/;$/, ''),
      comment: plain(comment),
    })
    comment = []
    code = []
  }
  return found
}

/** The text of a comment without its marks. */
const plain = (lines: readonly string[]) =>
  lines
    .map((line) => line.replace(/^\/\*\*|\*\/$/g, '').replace(/^ \* ?/, ''))
    .join('\n')
    .trim()

function nameOf(code: string): string {
  const words =
    /^\s*(?:(?:export|declare|readonly|async|get|class|interface|type|const|function) )*(\[[\w.]+\]|[\w#$]+)/
  return words.exec(code)?.[1] ?? ''
}

function entryOf(declaration: Declaration, all: ReadonlyMap<string, Declaration>): Entry {
  const { name } = declaration
  const members = membersOf(declaration, all)
  const made = members.find((each) => each.name === 'constructor' && each.comment !== '')
  const methods = members.filter((each) => isMethod(each) && each.name !== 'constructor')
  return {
    title: name,
    code: made ? made.code.replace('constructor', `new ${name}`) : headOf(declaration.code),
    text: [docstring(declaration, name), made ? docstring(made, name) : ''].filter(Boolean).join('\n\n'),
    fields: members.filter((each) => !isMethod(each)).map(fieldOf),
    members: methods.map((each) => ({
      title: `${name}.${each.name}`,
      code: each.code,
      text: docstring(each, `${name}.${each.name}`),
      fields: [],
      members: [],
    })),
  }
}

/** Members of a class or interface, after those of an interface that it extends and that is not exported. */
function membersOf({ code }: Declaration, all: ReadonlyMap<string, Declaration>): Declaration[] {
  if (!/^export (?:declare class|interface) /.test(code)) return []
  const [, base = ''] = /^export interface \w+ extends (\w+) /.exec(code) ?? []
  const inherited = all.get(base)
  const body = code.split('\n').slice(1, -1).join('\n')
  const own = declarationsIn(body, 4).filter(({ name }) => !name.startsWith('#'))
  return [...(inherited ? membersOf(inherited, all) : []), ...own]
}

const isMethod = ({ code }: Declaration) => /^[\w.[\]]+(?:<[^>]*>)?\(/.test(code)

/** A class or interface without its members; anything else whole. */
function headOf(code: string): string {
  const text = code.replace(/^export (?:declare )?/, '')
  if (/^class /.test(text)) return text.split(' {\n')[0] ?? ''
  // The members of what it extends are listed with its own.
  return /^interface /.test(text) ? (text.split(/ \{\n| extends /)[0] ?? '') : text
}

function fieldOf({ code, comment }: Declaration) {
  const line = code.replace(/^(?:readonly|get) /, '').replace(/^(\w+)\(\)/, '$1')
  return { code: line.replaceAll(/\s+/g, ' '), text: comment.replaceAll(/\s+/g, ' ') }
}

/** A docstring as Markdown: its examples as blocks, and its errors in bold. */
function docstring({ comment }: Declaration, name: string): string {
  if (comment === '') throw new Error(`${name} of clients/js has no docstring`)
  const blocks = comment.split(/\n{2,}/).map((block) => {
    if (block.startsWith('    ')) return `\`\`\`ts\n${block.replaceAll(/^ {4}/gm, '')}\n\`\`\``
    return block.replaceAll(/\s*@throws /g, '\n\n**Throws** ').trim()
  })
  return blocks.join('\n\n')
}
