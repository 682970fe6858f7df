import { expect, test } from 'bun:test'
import { type Op, type OpenChoice, parseProgram, runDynamic, runOpen } from '../../../src/qasm/index.ts'
import { Divided, outcomeIn, runGroups, type ShotGroup } from '../../../src/simulator/feedback/run-groups.ts'
import { createRng, type Rng } from '../../../src/simulator/numeric/random.ts'
import { drawnSeeds } from '../../support/random/drawn-seeds.ts'
import { runOptions } from '../support/run.ts'

/** What a shot has done, and the outcomes that it reads: drawn by its number, whatever group it is in. */
interface Shot {
  number: number
  steps: string[]
  outcomes: (0 | 1)[]
}

const outcomeFor = (shot: number, index: number): 0 | 1 =>
  createRng(1_000 * shot + index).next() < 0.5 ? 1 : 0

function nameOf(op: Op): string {
  if (op.kind === 'unitary') return `${op.name} ${op.controls} ${op.targets}`
  if (op.kind === 'phase') return `phase ${op.angle} ${op.controls}`
  return op.kind === 'reset' ? `reset ${op.qubit}` : op.kind
}

/** A group without a state that writes down what each shot does, and divides wherever a group may. */
class RecordingGroup implements ShotGroup {
  readonly #shots: Shot[]
  readonly #open: Set<number>
  readonly #rng: Rng
  readonly #ended: Map<number, Shot & { bits: number[] }>
  readonly choose?: (choice: OpenChoice) => void

  constructor(
    shots: Shot[],
    open: Set<number>,
    run: { rng: Rng; chooses: boolean; ended: Map<number, Shot & { bits: number[] }> },
  ) {
    this.#shots = shots
    this.#open = open
    this.#rng = run.rng
    this.#ended = run.ended
    if (run.chooses) this.choose = (choice) => this.#choose(choice)
  }

  get size(): number {
    return this.#shots.length
  }

  apply(op: Op): void {
    if (this.#rng.next() < 0.1) this.#divide(() => this.#rng.next() < 0.5)
    for (const { steps } of this.#shots) steps.push(nameOf(op))
  }

  measure(qubit: number, index: number): 0 | 1 | undefined {
    for (const { number, steps, outcomes } of this.#shots) {
      steps.push(`measure ${qubit}`)
      outcomes[index] = outcomeFor(number, index)
    }
    const isSame = new Set(this.#shots.map(({ outcomes }) => outcomes[index])).size === 1
    if (!isSame || this.#rng.next() < 0.5) this.#open.add(index)
    return this.outcomeOf(index)
  }

  outcomeOf(index: number): 0 | 1 | undefined {
    return this.#open.has(index) ? undefined : this.#shots[0]?.outcomes[index]
  }

  #choose({ outcomes: read, isTrue, steps: taken, otherwise }: OpenChoice): void {
    const truthOf = ({ outcomes }: Shot) =>
      isTrue[read.reduce((sum, index, place) => sum | ((outcomes[index] as number) << place), 0)] === true
    if (this.#rng.next() < 0.3) this.#divide(truthOf)
    for (const shot of this.#shots) shot.steps.push(...(truthOf(shot) ? taken : otherwise).map(nameOf))
  }

  /** @throws Divided when shots differ in `isFirst`. */
  #divide(isFirst: (shot: Shot) => boolean): void {
    const parts = [...Map.groupBy(this.#shots, isFirst).values()]
    if (parts.length > 1) throw new Divided(parts.map((part) => this.#part(part)))
  }

  /** A part knows outcomes that its shots share, or some of them. */
  #part(shots: Shot[], knows = () => this.#rng.next() < 0.5): RecordingGroup {
    const isShared = (index: number) => new Set(shots.map(({ outcomes }) => outcomes[index])).size === 1
    const open = [...this.#open].filter((index) => !isShared(index) || !knows())
    return new RecordingGroup(shots, new Set(open), {
      rng: this.#rng,
      chooses: this.choose !== undefined,
      ended: this.#ended,
    })
  }

  divided(): ShotGroup[] {
    const parts = Map.groupBy(this.#shots, ({ outcomes }) => outcomes.join())
    return [...parts.values()].map((shots) => this.#part(shots, () => true))
  }

  record(states: Int32Array): void {
    for (const shot of this.#shots) {
      const bits = Array.from(states, (state) => shot.outcomes[outcomeIn(state) ?? -1] ?? state)
      this.#ended.set(shot.number, { ...shot, bits })
    }
  }
}

/** Programs in which outcomes decide, by what they decide and how. */
const PROGRAMS = {
  'a Pauli before a division': 'if (d[0]) { x q[1]; } if (d[1]) { h q[1]; } c[0] = measure q[1];',
  'two branches of different length': 'if (d[0]) { x q[0]; y q[1]; z q[2]; } else { x q[1]; } h q[2];',
  'an empty branch': 'if (d[0]) { } else { z q[0]; } if (d[1]) { } h q[0]; c[0] = measure q[0];',
  'a loop while an outcome is 1': 'while (d[0]) { if (d[1]) { x q[1]; } h q[0]; d[0] = measure q[0]; }',
  'a switch': 'switch (int[4](d)) { case 1 { x q[0]; } case 2, 3 { h q[0]; y q[1]; } default { z q[1]; } }',
  'more than six bits': 'if (int[9](e) > 60) { x q[0]; z q[1]; } h q[0]; c[0] = measure q[0];',
  'a computed bit': 'c[1] = d[0] ^ d[1]; if (c[1]) { x q[0]; } else { h q[0]; } c[0] = measure q[0];',
  'a computed bit at the end': 'if (d[0]) { x q[0]; x q[1]; } h q[1]; c[0] = d[0] & d[1];',
  'a measurement in a branch': 'if (d[0]) { x q[1]; c[0] = measure q[1]; } h q[2]; c[1] = measure q[2];',
  'a reset in a branch': 'if (d[0]) { x q[1]; reset q[1]; y q[1]; } h q[1]; c[1] = measure q[1];',
  'nested branches': 'if (d[0]) { x q[1]; if (d[1]) { y q[1]; y q[2]; } z q[1]; } h q[2];',
  'an assignment in a branch': 'if (d[0]) { x q[1]; c[0] = d[1]; } if (c[0]) { h q[1]; } z q[2];',
  'branches that inputs decide':
    'if (n == 3) { x q[0]; if (d[0]) { x q[1]; } } if (n == 4) { h q[1]; y q[0]; }',
  'a loop in a branch': 'if (d[0]) { for int i in [0:2] { x q[i]; } } if (d[1]) { h q[0]; }',
  'a call in a branch':
    'if (d[0]) { flip(q[1]); } if (read(q[2])) { x q[0]; } if (d[read(q[1])]) { y q[2]; }',
  'the end in a branch': 'if (d[0]) { x q[1]; end; } h q[1]; c[0] = measure q[1];',
  'an index that one branch would not have': 'int k = 9; if (d[0] & ~d[0]) { x q[k]; } if (d[1]) { h q[0]; }',
  'packed gates in a branch': `if (d[0]) { ${'x q[0];'.repeat(40)} } else { ${'y q[1];'.repeat(30)} } h q[2];`,
} as const

const HEAD = `OPENQASM 3.0; include "stdgates.inc"; input int n; qubit[3] q; bit[2] c; bit[2] d; bit[8] e;
  def flip(qubit a) { x a; y a; } def read(qubit a) -> bit { bit r; r = measure a; return r; }`
const COINS =
  'h q; d[0] = measure q[0]; d[1] = measure q[1]; for int i in [0:7] { e[i] = measure q[i % 3]; } if (d[1]) { x q[2]; z q[0]; }'
// What comes last depends on computed bits: all outcomes before it are known then.
const TAIL = 'h q[0]; c[0] = e[3] ^ d[0]; if (c[0]) { h q[1]; } x q[2]; c = measure q[0:1];'

test.each(Object.entries(PROGRAMS))(
  'each part of divided shots sees exactly the steps of its outcomes: %s',
  async (_, steps) => {
    const program = parseProgram(`${HEAD} ${COINS} ${steps} ${TAIL}`)
    const shots = 24
    for (const seed of drawnSeeds(8)) {
      const run = { rng: createRng(seed), chooses: seed % 3 > 0, ended: new Map() }
      await runGroups(
        { shots, noise: undefined, walkOpen: (sink) => runOpen(program, [3], sink) },
        runOptions().timeBudget,
        (numbers) =>
          new RecordingGroup(
            Array.from(numbers, (number) => ({ number, steps: [], outcomes: [] })),
            new Set(),
            run,
          ),
      )
      expect(run.ended.size).toBe(shots)
      for (const { number, steps: done, bits } of run.ended.values()) {
        const expected: string[] = []
        let measurements = 0
        const expectedBits = runDynamic(program, [3], {
          apply: (op) => void expected.push(nameOf(op)),
          measure(qubit) {
            expected.push(`measure ${qubit}`)
            return outcomeFor(number, measurements++)
          },
        })
        expect(done, `seed ${seed}, shot ${number}`).toEqual(expected)
        expect(bits).toEqual([...expectedBits])
      }
    }
  },
)
