import { createRng } from '../../src/devices/index.ts'

/** A family of circuits, as OpenQASM 2 text that both sides read, on a given number of qubits. */
export type Family = (qubits: number) => string

const LAYERS = 20
const QAOA_LAYERS = 3

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

/** A program that measures all its qubits at the end. */
function program(qubits: number, lines: readonly string[]): string {
  const declared = [`OPENQASM 2.0;`, `include "qelib1.inc";`, `qreg q[${qubits}];`, `creg c[${qubits}];`]
  return [...declared, ...lines, 'measure q -> c;', ''].join('\n')
}

/** Random rotations and a random order of things, the same in every run. */
function randomness() {
  const rng = createRng(2_026)
  const angle = () => (2 * Math.PI * rng.next()).toFixed(12)
  return {
    rotation: (qubit: number) => `u3(${angle()},${angle()},${angle()}) q[${qubit}];`,
    shuffled: (count: number) =>
      upTo(count)
        .map((item) => ({ item, key: rng.next() }))
        .sort((a, b) => a.key - b.key)
        .map(({ item }) => item),
  }
}

const ghz: Family = (qubits) =>
  program(qubits, ['h q[0];', ...upTo(qubits - 1).map((qubit) => `cx q[${qubit}],q[${qubit + 1}];`)])

/** Transforms a product of random states: |0…0> would leave most of its phases nothing to do. */
const qft: Family = (qubits) => {
  const { rotation } = randomness()
  const lines = upTo(qubits).map(rotation)
  for (let target = qubits - 1; target >= 0; target--) {
    lines.push(`h q[${target}];`)
    for (let control = target - 1; control >= 0; control--)
      lines.push(`cu1(pi/${2 ** (target - control)}) q[${control}],q[${target}];`)
  }
  for (let low = 0; low < Math.floor(qubits / 2); low++) lines.push(`swap q[${low}],q[${qubits - 1 - low}];`)
  return program(qubits, lines)
}

/** Layers of one random rotation per qubit and the gate `pair` on a random pairing. */
const random =
  (pair: string): Family =>
  (qubits) => {
    const { rotation, shuffled } = randomness()
    const layers = upTo(LAYERS).flatMap(() => {
      const order = shuffled(qubits)
      const pairs = upTo(Math.floor(qubits / 2)).map(
        (index) => `${pair} q[${order[2 * index]}],q[${order[2 * index + 1]}];`,
      )
      return [...upTo(qubits).map(rotation), ...pairs]
    })
    return program(qubits, layers)
  }

/** For the largest cut of a graph in which each node has three edges: a ring and a random pairing. */
const qaoa: Family = (qubits) => {
  const order = randomness().shuffled(qubits)
  const ring = upTo(qubits).map((node) => [node, (node + 1) % qubits])
  const edges = [
    ...ring,
    ...upTo(Math.floor(qubits / 2)).map((index) => order.slice(2 * index, 2 * index + 2)),
  ]
  const layers = upTo(QAOA_LAYERS).flatMap((layer) => [
    ...edges.map(([a, b]) => `rzz(${(0.3 + 0.2 * layer).toFixed(1)}) q[${a}],q[${b}];`),
    ...upTo(qubits).map((qubit) => `rx(${(1.1 - 0.3 * layer).toFixed(1)}) q[${qubit}];`),
  ])
  return program(qubits, [...upTo(qubits).map((qubit) => `h q[${qubit}];`), ...layers])
}

/** A matrix on each pair of a random pairing, as three controlled X between rotations. */
const quantumVolume: Family = (qubits) => {
  const { rotation, shuffled } = randomness()
  const layers = upTo(qubits).flatMap(() => {
    const order = shuffled(qubits)
    return upTo(Math.floor(qubits / 2)).flatMap((index) => {
      const [a = 0, b = 0] = order.slice(2 * index, 2 * index + 2)
      const turns = () => [rotation(a), rotation(b)]
      return [...upTo(3).flatMap(() => [...turns(), `cx q[${a}],q[${b}];`]), ...turns()]
    })
  })
  return program(qubits, layers)
}

/** The families by the names that `--only` takes. */
export const FAMILIES = { qft, cz: random('cz'), cx: random('cx'), ghz, qaoa, qv: quantumVolume }

/** Layers of random matrices and controlled X between neighbors, as deep as bonds of `bond` need. */
export function brickwork(qubits: number, bond: number): string {
  const { rotation } = randomness()
  const layers = upTo(2 * Math.log2(bond)).flatMap((layer) => [
    ...upTo(qubits).map(rotation),
    ...upTo(Math.floor((qubits - (layer % 2)) / 2)).map((pair) => {
      const first = 2 * pair + (layer % 2)
      return `cx q[${first}],q[${first + 1}];`
    }),
  ])
  return program(qubits, layers)
}

/**
 * The counterfeit coin of QASMBench (`cc_n301`) for any number of qubits: one outcome decides about all that
 * follows.
 */
export function counterfeitCoin(qubits: number): string {
  const last = qubits - 1
  const coins = upTo(last)
  return [
    ...['OPENQASM 2.0;', 'include "qelib1.inc";', `qreg q[${qubits}];`, `creg c[${qubits}];`],
    ...coins.map((coin) => `h q[${coin}];`),
    ...coins.map((coin) => `cx q[${coin}],q[${last}];`),
    `measure q[${last}] -> c[${last}];`,
    ...[`if(c==0) x q[${last}];`, `if(c==0) h q[${last}];`],
    ...coins.map((coin) => `if(c==${2n ** BigInt(last)}) h q[${coin}];`),
    ...['barrier q;', `if(c==0) cx q[6],q[${last}];`],
    ...coins.map((coin) => `if(c==0) h q[${coin}];`),
    ...coins.map((coin) => `measure q[${coin}] -> c[${coin}];`),
    '',
  ].join('\n')
}

/** A state that is teleported along `steps` pairs; two outcomes decide about each step. */
export function teleportations(steps: number): string {
  const registers = upTo(steps).map((step) => `creg a${step}[1];\ncreg b${step}[1];`)
  const walks = upTo(steps).map((step) => {
    const [a, b, c] = [2 * step, 2 * step + 1, 2 * step + 2]
    return [
      `h q[${b}]; cx q[${b}],q[${c}]; cx q[${a}],q[${b}]; h q[${a}];`,
      `measure q[${a}] -> a${step}[0]; measure q[${b}] -> b${step}[0];`,
      `if(b${step}==1) x q[${c}];`,
      `if(a${step}==1) z q[${c}];`,
    ].join('\n')
  })
  return [
    ...['OPENQASM 2.0;', 'include "qelib1.inc";', `qreg q[${2 * steps + 1}];`, ...registers, 'creg c[1];'],
    ...['h q[0]; s q[0]; h q[0];', ...walks, `measure q[${2 * steps}] -> c[0];`, ''],
  ].join('\n')
}

/** A circuit of a variational loop: three layers, two inputs for each qubit of a layer, in OpenQASM 3. */
export function variational(qubits: number): { program: string; inputs: number } {
  const inputs = 6 * qubits
  const declared = upTo(inputs).map((index) => `input float p${index};`)
  const layers = upTo(3).flatMap((layer) => [
    ...upTo(qubits).map((qubit) => {
      const first = 2 * (layer * qubits + qubit)
      return `ry(p${first}) q[${qubit}]; rz(p${first + 1}) q[${qubit}];`
    }),
    ...upTo(qubits - 1).map((qubit) => `cx q[${qubit}], q[${qubit + 1}];`),
  ])
  const registers = `qubit[${qubits}] q; bit[${qubits}] c;`
  const lines = ['OPENQASM 3.0;', 'include "stdgates.inc";', ...declared, registers, ...layers]
  return { program: [...lines, 'c = measure q;', ''].join('\n'), inputs }
}
