import { expect, setDefaultTimeout, test } from 'bun:test'
import { type Op, type Position, parseProgram, runDynamic } from '../../../src/qasm/index.ts'
import { numbersOf, randomProgram } from '../../simulator/random-programs/generate.ts'
import { textOf } from '../../simulator/random-programs/program.ts'
import { RUNS_WHOLE } from '../../support/whole.ts'

const FIRST = RUNS_WHOLE ? Number(process.env['SEED'] ?? Math.floor(2 ** 31 * Math.random())) : 1
const PROGRAMS = RUNS_WHOLE ? 1_000 : 20

/** Names that share bits, elements and loop values, which runs from one position change apart. */
const SHARED = [
  `qubit q; bit[4] c; let low = c[0:1]; array[bit[2], 3] a; array[int[8], 3] n = {1, 2, 3}; int turns = 0;
   c[3] = measure q;
   for int i in [0:2:6] {
     bit m = measure q;
     low[0] = m;
     a[1][0] = measure q;
     for bit b in c { b = measure q; if (b) { n[1] += 1; c[2] = measure q; } }
     for int k in {3, 5} { turns += k; bit w = measure q; if (w) break; }
     for bit[2] pair in a { pair[1] = measure q; a[2][0] = measure q; if (pair[0]) { turns += 1; } }
     int own = turns * n[1];
     while (own % 3 != 1 && turns < 40) { own += 1; turns += 1; c[1] = measure q; if (c[1]) { continue; } }
     switch (turns % 3) { case 0 { reset q; rx(own) q; } case 1, 2 { ry(n[1]) q; c[0] = a[2][1]; } }
     box { x q; c[0] = measure q; }
   }
   rz(turns) q; c[3] = a[1][0] ^ low[0];`,
  `qubit[2] q; bit[2] c; input int[8] f;
   def flip(qubit a, int times) -> bit { bit r; while (!r) { h a; r = measure a; if (times > 2) return r; } return r; }
   for int i in [f:-1:0] { c[0] = flip(q[0], i); { int i = 4; c[1] ^= flip(q[1], i); } p(f + i) q[0]; if (c == 3) end; }`,
]

/** What a run passes to its sink, and its bits; `leave` is called with each position. */
function walk(
  text: string,
  values: number[],
  outcomes: () => 0 | 1,
  from?: Position,
  leave?: (at: Position) => void,
) {
  const steps: (Op | string)[] = []
  const sink = {
    apply: (op: Op) => void steps.push(op),
    measure(qubit: number) {
      const outcome = outcomes()
      steps.push(`${qubit}: ${outcome}`)
      return outcome
    },
    pause: (take: () => Position) => leave?.(take()),
  }
  try {
    return { steps, bits: [...runDynamic(parseProgram(text), values, sink, { operations: 3_000 }, from)] }
  } catch (error) {
    return { steps, error: String(error) }
  }
}

function compare(text: string, values: number[], seed: number): void {
  const draw = numbersOf(seed)
  const outcomes: (0 | 1)[] = []
  const left: { at: Position; measured: number }[] = []
  const whole = walk(
    text,
    values,
    () => outcomes[outcomes.push(draw() < 0.5 ? 0 : 1) - 1] as 0 | 1,
    undefined,
    (at) => left.push({ at, measured: outcomes.length }),
  )
  expect(whole.error ?? 'takes more than').toContain('takes more than')
  // Twice from each position: the first run changes nothing of it. A long run is left at some of them.
  const every = Math.ceil(left.length / 15)
  for (const { at, measured } of [...left, ...left].filter((_, index) => index % every === 0)) {
    let next = measured
    const rest = walk(text, values, () => outcomes[next++] ?? 0, at)
    const steps = whole.steps.slice(whole.steps.length - rest.steps.length)
    expect({ ...rest, measured: next, text }).toEqual({ ...whole, steps, measured: outcomes.length, text })
  }
}

setDefaultTimeout(RUNS_WHOLE ? 600_000 : 60_000)

test('a run that goes on from a position executes what the whole run does', () => {
  console.info(`SEED=${FIRST}`)
  for (let seed = FIRST; seed < FIRST + PROGRAMS; seed++) {
    const program = randomProgram(seed)
    const [input = { real: 0, whole: 0 }] = program.inputs
    compare(textOf(program), program.inputs.length > 0 ? [input.real, input.whole] : [], seed)
    const text = SHARED[seed % 2] ?? ''
    compare(`OPENQASM 3.0; include "stdgates.inc"; ${text}`, seed % 2 === 1 ? [seed % 7] : [], seed)
  }
})
