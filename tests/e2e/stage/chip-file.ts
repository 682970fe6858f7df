import { writeFileSync } from 'node:fs'

/** A generator of the same numbers in each run. */
export function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/**
 * Writes the device file of a chip whose qubits form a grid, with values that a laboratory would be content
 * with, except for one poor qubit and one poor coupler.
 */
export function writeChip(path: string, rows: number, columns: number): void {
  const random = numbersFrom(rows * columns)
  const qubits = rows * columns
  const chip: Record<string, object> = {}
  for (let at = 0; at < qubits; at += 1) chip[`q${at}`] = qubitOf(random, at === Math.floor(qubits * 0.6))
  for (let at = 0; at < qubits; at += 1) {
    const right = at % columns < columns - 1 ? [at + 1] : []
    const below = at + columns < qubits ? [at + columns] : []
    for (const other of [...right, ...below]) chip[`q${at}_q${other}`] = couplerOf(random, at, other)
  }
  writeFileSync(path, JSON.stringify(chip))
}

function qubitOf(random: () => number, isPoor: boolean): object {
  const t1 = isPoor ? 9e-6 : 35e-6 + 40e-6 * random()
  const wrong = isPoor ? 0.09 : 0.01 + 0.015 * random()
  return {
    element_type: { path: 'CalibratedTransmon' },
    rxy: { duration: 24e-9 },
    coherence: { t1, t2_echo: t1 * (0.6 + 0.6 * random()) },
    measure_2state: {
      assignment: [
        [1 - wrong, wrong],
        [1.6 * wrong, 1 - 1.6 * wrong],
      ],
    },
  }
}

function couplerOf(random: () => number, one: number, other: number): object {
  return {
    element_type: {
      path: 'FluxTunableCoupler',
      kwargs: { parent_element_name: `q${one}`, child_element_name: `q${other}` },
    },
    cz: { square_duration: 36e-9 + 20e-9 * random() },
  }
}
