import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { lineOf, scanSource } from '../../source-text.ts'

/** Sources of one subject of the core, and the folders of tests that mirror them. */
export interface CoreArea {
  area: string
  /** Glob patterns of the sources. */
  files: readonly string[]
  /** Folders of tests, in the order in which they run. */
  tests: readonly string[]
}

/** What decides which job runs where and when, what becomes of it, and what it costs. */
export const CORE: readonly CoreArea[] = [
  {
    area: 'queue, dispatch and results in the database',
    files: ['src/db/store/jobs/**/*.ts'],
    tests: ['tests/db/store/jobs', 'tests/server/jobs/dispatch', 'tests/server/jobs/attempts'],
  },
  {
    area: 'dispatch and attempts',
    files: ['src/server/jobs/{dispatch,attempts}/*.ts'],
    tests: ['tests/server/jobs/dispatch', 'tests/server/jobs/attempts'],
  },
  { area: 'leases', files: ['src/db/store/qpus/leases.ts'], tests: ['tests/db/store/qpus'] },
  {
    area: 'ledger',
    files: ['src/db/store/accounts/{ledger,usage,recent-use}.ts'],
    tests: ['tests/db/store/accounts', 'tests/db/store/jobs'],
  },
  {
    area: 'bookings',
    files: ['src/server/bookings/*.ts', 'src/db/store/bookings/*.ts'],
    tests: ['tests/server/bookings'],
  },
  {
    area: 'admission',
    files: [
      'src/base/admission/*.ts',
      'src/server/http/limits/{memory-budget,pipelining}.ts',
      'src/server/jobs/waiting/*.ts',
    ],
    tests: ['tests/base/admission', 'tests/server/http/limits', 'tests/server/jobs/waiting'],
  },
]

/** What runs beside the equipment, what crosses the wire, and the settings of both sides. */
export const EQUIPMENT: readonly CoreArea[] = [
  {
    area: 'driver',
    files: ['src/driver/{connection,tasks,operations,device-process}/*.ts', 'src/driver/*.ts'],
    tests: ['tests/driver'],
  },
  { area: 'protocol', files: ['src/protocol/**/*.ts'], tests: ['tests/protocol'] },
  {
    area: 'options and devices by name',
    files: ['src/devices/{read-options,resolve-device,safe-path,options}.ts'],
    tests: ['tests/devices'],
  },
  {
    area: 'end of a calibration',
    files: ['src/devices/tuning/run/verification/*.ts'],
    tests: ['tests/devices/tuning/run'],
  },
  {
    area: 'settings',
    files: ['src/server/config/*.ts', 'src/base/settings/*.ts'],
    tests: ['tests/server/config', 'tests/base/settings'],
  },
]

/** A change of one place of a source file, which tests have to notice. */
export interface CoreMutant {
  file: string
  /** Position of `text` in the file. */
  at: number
  text: string
  replacement: string
}

const BINARY: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
}
/** The formatter puts a space on both sides of each binary operator, and on none of those of types. */
const OPERATOR = /(?<=[\w)\]'`] )(?:===|!==|<=|>=|<|>|&&|\|\||[+-])(?= [\w(!'`[])/g
const CONDITION = /(?<=\bif )\(/g
/** A call that is a statement of its own on a line. What is logged decides nothing. */
const CALL = /(?<=\n +)(?!(?:await )?[\w.#]*log\b)(?:await |void )?[\w#][\w.#]*\([^\n]*\)(?=\n)/gi

const WORDS: Readonly<Record<string, string>> = {
  AND: 'OR',
  OR: 'AND',
  '=': '<>',
  '<>': '=',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  'IS NULL': 'IS NOT NULL',
  'IS NOT NULL': 'IS NULL',
  DESC: 'ASC',
  'min(': 'max(',
  'max(': 'min(',
}
/** An equality is a comparison only after the words that begin one. */
const WORD =
  /(?<=\s)(?:AND|OR|DESC|IS (?:NOT )?NULL)\b|\b(?:min|max)\(|(?<=[\w)] )(?:<>|<=|>=|<|>)(?= )|(?<=\b(?:AND|OR|WHERE|ON|WHEN|NOT) [\w.]+ )=(?= )/g
const SQL = /\b(?:SELECT|UPDATE|DELETE|WHERE|EXISTS)\b/

/** The end of what the parenthesis at `open` encloses. */
function closingOf(code: string, open: number): number {
  let depth = 0
  for (let at = open; at < code.length; at += 1) {
    if (code[at] === '(') depth += 1
    if (code[at] === ')') depth -= 1
    if (depth === 0) return at + 1
  }
  return code.length
}

/** Each place of a source where an operator, a condition, a call or a comparison in SQL can be changed. */
export function mutantsOf(file: string, source: string): CoreMutant[] {
  const { code, comments } = scanSource(source)
  // The insides of strings and templates.
  const texts = [...source]
    .map((letter, at) => (code[at] === ' ' && comments[at] === ' ' ? letter : letter === '\n' ? letter : ' '))
    .join('')
  const swapped = (pattern: RegExp, text: string, by: Readonly<Record<string, string>>) =>
    [...text.matchAll(pattern)].map(({ index: at, 0: found }) => ({
      file,
      at,
      text: found,
      replacement: by[found] ?? '',
    }))
  const conditions = [...code.matchAll(CONDITION)].map(({ index: at }) => {
    const text = source.slice(at, closingOf(code, at))
    return { file, at, text, replacement: `(!${text})` }
  })
  const calls = [...code.matchAll(CALL)].map(({ index: at, 0: { length } }) => ({
    file,
    at,
    text: source.slice(at, at + length),
    replacement: 'undefined',
  }))
  const words = SQL.test(texts) ? swapped(WORD, texts, WORDS) : []
  return [...swapped(OPERATOR, code, BINARY), ...conditions, ...calls, ...words]
}

/** The files of an area that exist in `repository`. */
export function filesOf({ files }: CoreArea, repository: string): string[] {
  return [...new Set(files.flatMap((pattern) => [...new Glob(pattern).scanSync({ cwd: repository })]))].sort()
}

/**
 * `count` mutants of `areas`, those of the core if omitted, drawn by `seed`: the same ones again, except
 * where a line with one has changed.
 */
export function drawMutants(
  repository: string,
  { seed, count, areas = CORE }: { seed: number; count: number; areas?: readonly CoreArea[] },
) {
  const all = areas.flatMap((area) =>
    filesOf(area, repository).flatMap((file) => {
      const source = readFileSync(join(repository, file), 'utf8')
      return mutantsOf(file, source).map((mutant) => {
        const line = lineOf(source, mutant.at)
        const start = source.lastIndexOf('\n', mutant.at - 1) + 1
        const [text = ''] = source.slice(start).split('\n', 1)
        const order = Bun.hash(`${seed} ${file} ${text} ${mutant.at - start} ${mutant.replacement}`)
        return { ...mutant, area, line, order }
      })
    }),
  )
  return all.sort((one, other) => (one.order < other.order ? -1 : 1)).slice(0, count)
}
