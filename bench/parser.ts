/**
 * Parser throughput: `bun bench/parser.ts [--rounds 5]`. Programs of 10 MB are parsed, and parsed and checked
 * as in a submission. In the same round, a loop reads every character of the program, and `JSON.parse` parses
 * the same amount of JSON. MB are 10^6 characters, all ASCII. Memory is the growth of a separate process.
 */
import { checkProgram, parseProgram } from '../src/qasm/index.ts'
import { spreadOf } from './support/figures.ts'
import { printTable, SPREAD_HEAD, spreadCells, startBench } from './support/output.ts'
import { TEXTS } from './support/programs.ts'

const MB = 1e6

function scan(text: string): number {
  let sum = 0
  for (let at = 0; at < text.length; at++) sum = (sum + text.charCodeAt(at)) | 0
  return sum
}

/** JSON of the same length: an array of short records. */
function jsonLike(text: string): string {
  const record = '{"name":"cx","qubits":[3,4],"angle":0.785398},'
  return `[${record.repeat(Math.floor(text.length / record.length)).slice(0, -1)}]`
}

function rate(text: string, work: () => unknown): number {
  const start = performance.now()
  work()
  return text.length / MB / ((performance.now() - start) / 1000)
}

const works = { parse: parseProgram, check: checkProgram }

/** Growth of resident memory per character of one program, measured in a new process. */
async function memoryOf(name: string, work: keyof typeof works): Promise<string> {
  const child = Bun.spawn([process.execPath, import.meta.path, '--grow', name, work], { stdout: 'pipe' })
  return Number(await new Response(child.stdout).text()).toFixed(1)
}

const [, , option, wanted = '', kind] = process.argv
if (option === '--grow') {
  const text = TEXTS[wanted]?.() ?? ''
  scan(text)
  Bun.gc(true)
  const before = process.memoryUsage.rss()
  const result = works[kind === 'check' ? 'check' : 'parse'](text)
  const grown = process.memoryUsage.rss() - before
  if (result.inputs.length > 0) throw new Error('The texts have no inputs')
  process.stdout.write(String(grown / text.length))
  process.exit(0)
}

const { rounds } = startBench('Parser')
for (const [name, make] of Object.entries(TEXTS)) {
  const text = make()
  const json = jsonLike(text)
  const rates = { scan: [] as number[], json: [] as number[], parse: [] as number[], check: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    rates.scan.push(rate(text, () => scan(text)))
    rates.json.push(rate(json, () => JSON.parse(json)))
    rates.parse.push(rate(text, () => parseProgram(text)))
    rates.check.push(rate(text, () => checkProgram(text)))
  }
  const ratio = rates.parse.map((value, round) => value / (rates.json[round] ?? Number.NaN))
  const memory = `${await memoryOf(name, 'parse')} MB per MB for execution, ${await memoryOf(name, 'check')} at submission`
  console.log(`\n${name}: ${(text.length / MB).toFixed(1)} MB; ${memory}\n`)
  printTable(
    ['MB/s', ...SPREAD_HEAD],
    [
      ['reference: every character read', ...spreadCells(spreadOf(rates.scan))],
      ['reference: JSON.parse', ...spreadCells(spreadOf(rates.json))],
      ['parsed and checked for execution', ...spreadCells(spreadOf(rates.parse))],
      ['checked at submission', ...spreadCells(spreadOf(rates.check))],
      ['first ÷ JSON.parse', ...spreadCells(spreadOf(ratio))],
    ],
  )
}
