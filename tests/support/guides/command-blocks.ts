import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { NOT_RUN } from './not-run.ts'

const ROOT = join(import.meta.dir, '../../..')

/** A fenced block of commands of a page: one without a language, or `sh`. */
export interface CommandBlock {
  line: number
  /** Whether a test runs it: its language is `sh`. */
  isRun: boolean
  /** What follows `sh`, such as `server` or `elsewhere`. */
  role: string
  code: string
  /** Why no test runs it, of `not-run.ts`. */
  notRun: string | undefined
}

const FENCE = /^( *)```(sh)?(?: (\w+))?$/

/** How `not-run.ts` names a block. */
export const firstLineOf = (code: string) => code.split('\n', 1)[0]?.trim() ?? ''

/** The pages whose readers run commands. */
export function guides(): string[] {
  return ['README.md', ...new Glob('docs/{how-to,tutorials}/*.md').scanSync({ cwd: ROOT })].toSorted()
}

/** Blocks of commands of `page` in order. Those of another language, such as `text` for output, are none. */
export function commandBlocks(page: string): CommandBlock[] {
  const lines = readFileSync(join(ROOT, page), 'utf8').split('\n')
  const blocks: CommandBlock[] = []
  for (let at = 0; at < lines.length; at += 1) {
    const opening = /^( *)```/.exec(lines[at] ?? '')
    if (opening === null) continue
    const end = lines.indexOf(`${opening[1]}\`\`\``, at + 1)
    if (end < 0) throw new Error(`${page}:${at + 1}: the block has no end`)
    const [, indent = '', language, role = ''] = FENCE.exec(lines[at] ?? '') ?? []
    if (FENCE.test(lines[at] ?? '')) {
      const code = lines
        .slice(at + 1, end)
        .map((line) => line.slice(indent.length))
        .join('\n')
      const [, notRun] = NOT_RUN[page]?.find(([line]) => line === firstLineOf(code)) ?? []
      blocks.push({ line: at + 1, isRun: language === 'sh', role, code, notRun })
    }
    at = end
  }
  return blocks
}
