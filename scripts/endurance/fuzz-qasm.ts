/**
 * Mutated programs for the OpenQASM reader: `npx bun run scripts/endurance/fuzz-qasm.ts [--programs 1000000]
 * [--seed 1]`. Each is checked, parsed, lowered and run once; only a `QasmError` may come out, within a
 * second. Prints how many were accepted, the slowest and the memory at the end; exits 1 at the first program
 * that breaks the rule, and prints it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkProgram, lowerProgram, parseProgram, QasmError, runDynamic } from '../../src/qasm/index.ts'
import { createRng } from '../../src/simulator/numeric/random.ts'
import { RICH_PROGRAM, WORDS } from '../../tests/qasm/texts.ts'

/** Small enough that a program which uses them up ends in some milliseconds. */
const LIMITS = { operations: 20_000, iterations: 2_000, qubits: 64, bits: 4_096, elements: 4_096 }
const SLOW_MS = 1_000
const EXCERPT = 1_500

const { values: args } = parseArgs({
  options: { programs: { type: 'string', default: '1000000' }, seed: { type: 'string', default: '1' } },
})
const programs = Number(args.programs)
const rng = createRng(Number(args.seed))
const below = (n: number) => Math.floor(rng.next() * n)
const folder = join(import.meta.dir, '../../tests/circuits')
const published = readdirSync(folder)
  .filter((file) => file.endsWith('.qasm'))
  .map((file) => readFileSync(join(folder, file), 'utf8').slice(0, EXCERPT))
const sources = [RICH_PROGRAM, RICH_PROGRAM, RICH_PROGRAM, ...published]
const characters = [...'()[]{}@;:,"\\\'#$%^&*+-/=<>!?.~|`_ \n\t\0é€😀07azAZπ']

/** One change: a piece removed, doubled or moved, a word or a character put in. */
function change(text: string): string {
  const at = below(text.length + 1)
  const length = below(16)
  const piece = text.slice(at, at + length)
  const other = below(text.length + 1)
  const kinds = [
    () => text.slice(0, at) + text.slice(at + length),
    () => text.slice(0, at) + piece + text.slice(at),
    () => text.slice(0, other) + piece + text.slice(other),
    () => `${text.slice(0, at)} ${WORDS[below(WORDS.length)]} ${text.slice(at + length)}`,
    () => text.slice(0, at) + characters[below(characters.length)] + text.slice(at + 1),
  ]
  return kinds[below(kinds.length)]?.() ?? text
}

function mutated(): string {
  let text = sources[below(sources.length)] ?? ''
  for (let left = 1 + below(5); left > 0; left--) text = change(text)
  return text
}

/** Whether the program is accepted. Throws what is not a `QasmError`. */
function read(text: string): boolean {
  const { problems } = checkProgram(text, LIMITS)
  try {
    const program = parseProgram(text, LIMITS)
    const values = program.inputs.map(() => 1)
    lowerProgram(program, values, LIMITS)
    let outcomes = 0
    runDynamic(
      program,
      values,
      { apply: () => undefined, measure: () => (outcomes++ % 3 === 0 ? 1 : 0) },
      LIMITS,
    )
    return problems.length === 0
  } catch (error) {
    if (error instanceof QasmError) return false
    throw error
  }
}

let accepted = 0
let slowest = 0
const started = performance.now()
for (let count = 1; count <= programs; count++) {
  const text = mutated()
  const from = performance.now()
  try {
    if (read(text)) accepted++
  } catch (error) {
    console.error(`program ${count} of seed ${args.seed} broke the reader:`, error, `\n${text}`)
    process.exit(1)
  }
  const ms = performance.now() - from
  slowest = Math.max(slowest, ms)
  if (ms > SLOW_MS) {
    console.error(`program ${count} of seed ${args.seed} took ${ms.toFixed(0)} ms:\n${text}`)
    process.exit(1)
  }
  if (count % 100_000 === 0) report(count)
}
report(programs)

function report(count: number): void {
  const seconds = (performance.now() - started) / 1_000
  const memory = process.memoryUsage().rss / 1e6
  console.log(
    `${count} programs: ${accepted} accepted, slowest ${slowest.toFixed(0)} ms, ${memory.toFixed(0)} MB, ${seconds.toFixed(0)} s`,
  )
}
