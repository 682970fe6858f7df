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

/** Of a product of random states: |0…0> would leave most of its phases nothing to do. */
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
