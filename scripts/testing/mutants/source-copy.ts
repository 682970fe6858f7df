import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What a copy needs in order to run tests of the sources; the installed packages are linked. */
export const COPIED = [
  'src',
  'ui',
  'tests',
  'scripts',
  'docs',
  'examples',
  'package.json',
  'tsconfig.json',
  'bunfig.toml',
]

/** What stands in the place of a text of a file. */
export interface Alteration {
  text: string
  replacement: string
  /** Position of the text, if it stands in several places. */
  at?: number
}

/** A copy of the sources and tests in which files can be altered. */
export class SourceCopy implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-mutants-'))

  constructor(repository: string) {
    for (const name of COPIED) cpSync(join(repository, name), join(this.folder, name), { recursive: true })
    symlinkSync(join(repository, 'node_modules'), join(this.folder, 'node_modules'))
  }

  /**
   * Replaces `text` at position `at` of `file`, or where it stands, which then must be once; disposing of the
   * result restores the file.
   * @throws Error when the file does not contain it there, or several times.
   */
  alter(file: string, { text, replacement, at }: Alteration): Disposable {
    const path = join(this.folder, file)
    const original = readFileSync(path, 'utf8')
    const count = at === undefined ? original.split(text).length - 1 : Number(original.startsWith(text, at))
    if (count !== 1) throw new Error(`${file} contains "${text}" ${count} times instead of once`)
    const start = at ?? original.indexOf(text)
    writeFileSync(path, original.slice(0, start) + replacement + original.slice(start + text.length))
    return { [Symbol.dispose]: () => writeFileSync(path, original) }
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true })
  }
}
