import { numbersFrom } from './chip-file.ts'

const DAY = 86_400_000
/** One every 30 h, for 18 days. */
const COUNT = 15
const SPACING = 1.25 * DAY
/** The qubit whose readout gets worse by the day. */
const DRIFTING = 12

type Random = () => number

/** The records of reports of a chip over the last weeks; one qubit drifts below its limit. */
export function pastCalibrations(qpu: string, rows: number, columns: number): object[] {
  const random = numbersFrom(rows)
  const qubits = Array.from({ length: rows * columns }, (_, at) => qubitOf(random, at))
  const couplers = pairsOf(rows, columns).map((name) => ({ name, fidelity: 0.975 + 0.02 * random() }))
  return Array.from({ length: COUNT }, (_, index) => {
    const end = Date.now() - (COUNT - index - 0.6) * SPACING
    const days = index * (SPACING / DAY)
    return {
      ...{ qpu, mode: 'fidelity_check', status: 'success', backend: 'scheduler_a_tuner+simulated' },
      started_at: new Date(end - 20 * 60_000).toISOString(),
      finished_at: new Date(end).toISOString(),
      routines: qubits.flatMap((qubit) => measured(qubit, days, random)),
      benchmarks: [
        ...qubits.map((qubit) => readout(qubit, days, random)),
        ...couplers.map(({ name, fidelity }) => ({
          ...{ protocol: 'cz_rb', target: name, fidelity: around(fidelity, 0.002, random) },
          fidelity_error: 0.0015,
        })),
      ],
    }
  })
}

function qubitOf(random: Random, at: number) {
  const t1 = (45 + 40 * random()) * 1e-6
  return {
    at,
    t1,
    t2: t1 * (0.5 + 0.6 * random()),
    f01: 4.4e9 + at * 21e6,
    readout: 0.982 + 0.014 * random(),
  }
}

type Qubit = ReturnType<typeof qubitOf>

function measured({ at, t1, t2, f01 }: Qubit, days: number, random: Random): object[] {
  const value = (center: number, error: number, unit: string) => ({
    ...{ value: around(center, error, random), error, unit },
  })
  return [
    ['t1', { 'coherence.t1': value(t1, t1 * 0.05, 's') }],
    ['t2_echo', { 'coherence.t2_echo': value(t2, t2 * 0.05, 's') }],
    ['ramsey_correction', { 'clock_freqs.f01': value(f01 + 900 * days, 400, 'Hz') }],
  ].map(([routine, parameters]) => ({
    routine,
    target: `q${at}`,
    status: 'success',
    parameters,
    duration_s: 20,
  }))
}

function readout({ at, readout: fidelity }: Qubit, days: number, random: Random): object {
  const loss = at === DRIFTING && days > 4 ? 0.0016 * (days - 4) : 0
  return {
    ...{ protocol: 'readout_fidelity', target: `q${at}`, fidelity: around(fidelity - loss, 0.0006, random) },
    fidelity_error: 0.001,
  }
}

function around(center: number, spread: number, random: Random): number {
  return center + spread * (random() + random() - 1)
}

function pairsOf(rows: number, columns: number): string[] {
  return Array.from({ length: rows * columns }, (_, at) => [
    ...(at % columns < columns - 1 ? [`q${at}_q${at + 1}`] : []),
    ...(at + columns < rows * columns ? [`q${at}_q${at + columns}`] : []),
  ]).flat()
}
