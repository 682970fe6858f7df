import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { surfaceCode } from '../../tests/black-box/limits/surface-code.ts'
import { payloadOf } from '../../tests/devices/support/jobs.ts'
import { brickwork, counterfeitCoin, FAMILIES, teleportations, variational } from './programs.ts'
import type { Contest, PeerCall } from './sides.ts'

/** A section of the page. */
export interface Piece {
  heading: string
  /** What the rows are. */
  about: string
  /** The largest geometric mean of the ratios; absent without a goal. */
  mean?: number
  contests: readonly Contest[]
}

const SHOTS = 1_024
/** Up to this number of qubits a job takes as long as a few function calls. */
const SMALL_QUBITS = 14
const SMALL_REPEATS = 20
/** From this number of qubits on, single precision is compared, and Aer on one thread is not. */
const LARGE_QUBITS = 16

const CIRCUITS = join(import.meta.dir, '../../tests/circuits')
/**
 * Not compared: it measures registers that it does not declare, which Qiskit refuses and we warn about; and
 * one with resets, for each shot of which Aer recomputes 18 qubits, which takes five minutes.
 */
const LEFT_OUT = ['vqe_uccsd_n6', 'square_root_n18']
/** Not a chain of any bond that ends: refused by us. */
const TOO_ENTANGLED = ['QV_n32']

const repeatsOf = (qubits: number) => (qubits <= SMALL_QUBITS ? SMALL_REPEATS : 1)

const aer = (program: string, more: Record<string, unknown> = {}, peer = 'Aer'): PeerCall => ({
  peer,
  by: 'aer',
  question: { ask: 'run', program, shots: SHOTS, method: 'automatic', ...more },
})

const ofPeers = (peer: string, question: PeerCall['question']): PeerCall => ({
  peer,
  by: 'peers',
  question: { shots: SHOTS, ...question },
})

/** Aer with and without fusion of gates, and for small states on one thread. */
const aerAtItsBest = (program: string, qubits: number, more: Record<string, unknown> = {}) => [
  aer(program, more),
  aer(program, { ...more, fusion: false }),
  ...(qubits < LARGE_QUBITS ? [aer(program, { ...more, threads: 1 })] : []),
]

function everyFamily(
  sizes: readonly number[],
  contestOf: (name: string, program: string, qubits: number) => Contest,
): Contest[] {
  return Object.entries(FAMILIES).flatMap(([name, family]) =>
    sizes.map((qubits) => contestOf(`${name} ${qubits}`, family(qubits), qubits)),
  )
}

function double(sizes: readonly number[]): Piece {
  const contests = everyFamily(sizes, (name, program, qubits) => ({
    name,
    options: [],
    payload: () => payloadOf([program]),
    calls: [
      ...aerAtItsBest(program, qubits),
      ofPeers('qulacs', { ask: 'qulacs', program, block: 0 }),
      ofPeers('qulacs', { ask: 'qulacs', program, block: 2 }),
    ],
    repeats: repeatsOf(qubits),
    goal: 0.5,
  }))
  const about = `1,024 shots, the method that each side chooses. Aer with gate fusion, without, and up to 14 qubits on one thread; qulacs with the
gates as they are, and merged to two qubits: the fastest counts.`
  return { heading: 'Double precision', about, mean: 0.18, contests }
}

function single(sizes: readonly number[]): Piece {
  const large = sizes.filter((qubits) => qubits >= LARGE_QUBITS)
  const contests = everyFamily(large, (name, program) => ({
    name,
    options: ['method=statevector'],
    payload: () => payloadOf([program], { precision: 'single' }),
    calls: [
      ...[2, 3, 4].map((fused) => ofPeers('qsim', { ask: 'qsim', program, fused })),
      aer(program, { method: 'statevector', precision: 'single' }),
    ],
    repeats: 1,
    goal: 2,
  }))
  const about = `1,024 shots. qsim with gates fused to 2, 3 and 4 qubits: the fastest counts; its time includes the translation of the circuit, which it
does in each call.`
  return { heading: 'Single precision', about, mean: 0.75, contests }
}

function repeated(): Piece {
  const shots = 1_000
  const contests = [2, 4, 6, 8, 10, 12].flatMap((qubits): Contest[] => {
    const { program, inputs } = variational(qubits)
    const payload = (circuit: string, turn: number) => {
      const values = Array.from({ length: inputs }, (_, index) => Math.sin(1 + turn * inputs + index))
      return payloadOf([{ circuit, parameter_values: [values] }], { shots })
    }
    const calls = [ofPeers('qulacs', { ask: 'variational', qubits, shots })]
    const row = { options: [], calls, repeats: 4 * SMALL_REPEATS }
    return [
      { ...row, name: `${qubits} qubits`, payload: (turn) => payload(program, turn), goal: 1 },
      {
        ...row,
        name: `${qubits} qubits, a text that is new`,
        payload: (turn) => payload(`${program}// ${turn}\n`, turn),
      },
    ]
  })
  const about = `Three layers of rotations by inputs and of controlled X, 1,000 shots, other values in each job: from the text to the counts, beside a call
of qulacs with a circuit that is prepared.`
  return { heading: 'A text that is repeated', about, contests }
}

/** An `aer_sim` with noise after gates; `file` receives the text of the model. */
export interface NoiseFiles {
  write(name: string, text: string): string
}

function codes(files: NoiseFiles): Piece {
  const shots = 10_000
  const rate = 0.001
  const noise = files.write(
    'codes.yml',
    `gates:
  - {gate: h, errors: [{depolarizing: ${rate}}]}
  - {gate: cx, errors: [{depolarizing: ${rate}}]}
readout:
  - matrix: [[${1 - rate}, ${rate}], [${rate}, ${1 - rate}]]
`,
  )
  const contests = [7, 11].flatMap((distance) =>
    [false, true].flatMap((isNoisy): Contest[] => {
      const { program } = surfaceCode(distance)
      const name = `distance ${distance}${isNoisy ? ', noisy' : ''}`
      const payload = (circuit: string) =>
        payloadOf([circuit], { shots, memory: true, memory_format: 'packed' })
      const row = {
        options: ['method=stabilizer', ...(isNoisy ? [`noise=${noise}`] : [])],
        calls: [ofPeers('stim', { ask: 'stim', program, shots, noise: isNoisy ? rate : 0 })],
        repeats: 5,
        goal: distance === 7 ? 3 : 1.5,
      }
      return [
        { ...row, name, payload: (turn) => payload(`${program}// ${turn}\n`) },
        { ...row, name: `${name}, a text that is repeated`, payload: () => payload(program) },
      ]
    }),
  )
  const about = `The memory experiment of the rotated code, as many rounds as its distance, 10,000 shots: from the text to packed memory (and counts
where they fit into the result) beside \`sample_bit_packed\` of a sampler that stim compiled before.`
  return { heading: 'Surface codes', about, contests }
}

function density(files: NoiseFiles): Piece {
  const noisy = (kind: 'depolarizing' | 'amplitude_damping', method: string, qubits: number): Contest => {
    const isDensity = method === 'density_matrix'
    // As trajectories, shots with the same errors share a state: with rare ones most do.
    const rate = isDensity ? 0.01 : 0.001
    const errors = `errors: [{${kind}: ${rate}}]`
    const noise = files.write(
      `${kind}-${rate}.yml`,
      `gates:\n  - {gate: u3, ${errors}}\n  - {gate: cz, ${errors}}\n`,
    )
    const program = FAMILIES.cz(qubits)
    const model = kind === 'depolarizing' ? { depolarizing: rate } : { damping: rate }
    return {
      name: `${method} ${qubits}, ${kind.replace('_', ' ')}`,
      options: [`method=${method}`, `noise=${noise}`],
      payload: () => payloadOf([program]),
      calls: [aer(program, { method: isDensity ? method : 'statevector', noise: model })],
      repeats: 1,
      goal: isDensity ? 0.7 : 1,
    }
  }
  const contests = [
    ...(['depolarizing', 'amplitude_damping'] as const).flatMap((kind) =>
      [8, 9, 10].map((qubits) => noisy(kind, 'density_matrix', qubits)),
    ),
    ...[10, 12].map((qubits) => noisy('depolarizing', 'trajectories', qubits)),
  ]
  const about = `20 layers of one \`u3\` per qubit and n/2 random \`cz\`, noise after each gate (0.01; 0.001 for trajectories), 1,024 shots; Aer with gate fusion.`
  return { heading: 'Noise', about, contests }
}

function files(sizes: readonly number[]): Piece {
  const contests = published(CIRCUITS)
    .filter(({ qubits, name }) => qubits <= Math.max(...sizes) && !LEFT_OUT.includes(name))
    .map(({ name, program, qubits }) => ({
      name,
      options: [],
      payload: () => payloadOf([program]),
      calls: aerAtItsBest(program, qubits),
      repeats: repeatsOf(qubits),
      goal: 1,
    }))
  const about = `The circuits of QASMBench in \`tests/circuits\` that both sides read, unmodified, 1,024 shots, the method that each side chooses.`
  return { heading: 'Published circuits', about, contests }
}

function chains(folder: string): Piece {
  const chain = (name: string, program: string, goal: number, bond?: number): Contest => ({
    name,
    options: ['method=matrix_product_state', ...(bond === undefined ? [] : [`max_bond=${bond}`])],
    payload: () => payloadOf([program]),
    calls: [
      aer(program, { method: 'matrix_product_state', ...(bond !== undefined && { bond }) }),
      aer(program, { method: 'matrix_product_state', ...(bond !== undefined && { bond }), threads: 1 }),
    ],
    repeats: 1,
    goal,
  })
  const contests = [
    ...[4, 8, 16, 32].map((bond) =>
      chain(`random, 40 qubits, bond ${bond}`, brickwork(40, bond), bond === 32 ? 0.5 : 1, bond),
    ),
    ...largeCircuits(folder)
      .filter(({ program }) => !program.includes('if('))
      .map(({ name, program }) => chain(name, program, 1)),
  ]
  const about = `As matrix product states of both sides, 1,024 shots, singular values with a weight below 1e-16 truncated; the random ones are layers of
\`u3\` and \`cx\` between neighbors, as deep as the bond holds without a loss: a chain that loses half of its state is refused.`
  return { heading: 'Chains', about, contests }
}

function feedback(folder: string): Piece {
  const row = (name: string, program: string): Contest => ({
    name,
    options: [],
    payload: () => payloadOf([program], { shots: 1_000 }),
    calls: [aer(program, { shots: 1_000 })],
    repeats: 1,
    goal: 1,
  })
  const contests = [
    ...[32, 64, 151].map((qubits) => row(`cc_n${qubits}`, counterfeitCoin(qubits))),
    row('teleportation, 10 steps', teleportations(10)),
    ...largeCircuits(folder)
      .filter(({ program }) => program.includes('if('))
      .map(({ name, program }) => row(name, program)),
  ]
  const about = `1,000 shots, the method that each side chooses; \`cc\` is the counterfeit coin of QASMBench.`
  return { heading: 'Feedback', about, contests }
}

interface Published {
  name: string
  program: string
  qubits: number
}

const largeCircuits = (folder: string) =>
  folder === '' ? [] : published(folder).filter(({ name }) => !TOO_ENTANGLED.includes(name))

/** The files of a folder, `NAME_nQUBITS.qasm`, by size. */
function published(folder: string): Published[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.qasm'))
    .map((file) => ({
      name: basename(file, '.qasm'),
      program: readFileSync(join(folder, file), 'utf8'),
      qubits: Number(/_n(\d+)/.exec(file)?.[1]),
    }))
    .toSorted((a, b) => a.qubits - b.qubits)
}

interface Choice {
  sizes: readonly number[]
  /** Folder of large published circuits; empty for none. */
  circuits: string
  noise: NoiseFiles
}

/** The sections by the names that `--only` takes, in the order of the page. */
export const PIECES: Record<string, (choice: Choice) => Piece> = {
  double: ({ sizes }) => double(sizes),
  single: ({ sizes }) => single(sizes),
  repeated: () => repeated(),
  codes: ({ noise }) => codes(noise),
  noise: ({ noise }) => density(noise),
  files: ({ sizes }) => files(sizes),
  chains: ({ circuits }) => chains(circuits),
  feedback: ({ circuits }) => feedback(circuits),
}
