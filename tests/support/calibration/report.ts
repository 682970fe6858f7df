import { chevron, digits, lineFit, normal, type Random, spaced, stateClouds } from './fits.ts'
import { GRAPH } from './graph.ts'

/** What a calibration of a small chip found. */
interface ReportOptions {
  qubits?: readonly string[]
  edges?: readonly string[]
  seed?: number
  /** A qubit without a line in its spectroscopy, which blocks the routines that need it. */
  dead?: string
  /** Days by which frequencies have drifted. */
  day?: number
}

const QUBITS = ['q0', 'q1', 'q2', 'q3', 'q4']
const EDGES = ['q0_q1', 'q1_q2', 'q2_q3', 'q3_q4']

interface Entry {
  routine: string
  target: string
  status: 'success' | 'failed'
  duration_s: number
  attempts: number
  unresolved?: boolean
  parameters?: Record<string, object>
  error?: { code: string; message: string }
  fit?: object
}

/** The findings of a full calibration, physically consistent and the same for the same seed. */
export function calibrationFindings(options: ReportOptions = {}) {
  const { qubits = QUBITS, edges = EDGES, seed = 7, dead, day = 0 } = options
  const random = randomOf(seed)
  const chip = new Map(qubits.map((name, at) => [name, qubitOf(at, day, random)]))
  const routines: Entry[] = []
  const skipped: { routine: string; target: string; reason: string; detail: string }[] = []
  for (const { routine, kind, seconds } of GRAPH) {
    for (const target of kind === 'qubit' ? qubits : edges) {
      const isDead = dead !== undefined && target.split('_').includes(dead)
      if (isDead && needsLine(routine)) {
        const detail = `${dead} qubit_01_spectroscopy`
        skipped.push({ routine, target, reason: 'blocked', detail })
        continue
      }
      const base = { routine, target, duration_s: digits(seconds * (0.9 + 0.2 * random())), attempts: 1 }
      const isFailure = isDead && routine === DEAD_ROUTINE
      routines.push(
        isFailure
          ? deadLine(base, random)
          : { ...base, status: 'success', ...measured(routine, target, chip, random) },
      )
    }
  }
  const isAlive = (target: string) => dead === undefined || !target.split('_').includes(dead)
  const alive = qubits.filter(isAlive)
  const working = edges.filter(isAlive)
  return {
    ...outcomeOf(dead),
    backend: 'scheduler_a_tuner+simulated',
    device_file: { changed: alive.length * 11 + working.length * 6, before: '1f3a', after: '9c07' },
    routines,
    benchmarks: [
      ...alive.map((name) => qubitBenchmark(name, chip.get(name), random)),
      ...working.map((name, at) => edgeBenchmark(name, at, random)),
    ],
    skipped,
    notes: [`${qubits[1]}: clock_freqs.f12 never measured`, 'current of q0_q1 restored to 1.042 mA'],
  }
}

function outcomeOf(dead: string | undefined) {
  if (dead === undefined) return { status: 'success', errors: [] }
  return { status: 'partial_failure', errors: [`${dead} ${DEAD_ROUTINE}: no_signal`] }
}

const DEAD_ROUTINE = 'qubit_01_spectroscopy'
const DEAD_AT = GRAPH.findIndex(({ routine }) => routine === DEAD_ROUTINE)

/** Whether a routine is blocked on a qubit whose line was not found. */
function needsLine(routine: string): boolean {
  return GRAPH.findIndex((one) => one.routine === routine) > DEAD_AT
}

type Qubit = ReturnType<typeof qubitOf>

function qubitOf(at: number, day: number, random: Random) {
  const t1 = (48 + 14 * random()) * 1e-6
  return {
    readout: 6.73e9 + at * 24e6,
    f01: (at % 2 === 0 ? 4.43e9 : 5.08e9) + at * 21e6 + day * 3_200 + normal(random) * 2_000,
    t1,
    t2: Math.min(1.9 * t1, t1 * (at === 3 ? 0.42 : 0.75 + 0.3 * random())),
    amp180: 0.52 + 0.04 * random(),
    motzoi: -0.09 - 0.03 * random(),
  }
}

function value(found: number, error: number, unit: string, before: number) {
  return { value: digits10(found), error: digits(error), unit, previous: digits10(before), written: true }
}

/** A frequency needs ten digits. */
function digits10(number: number): number {
  return Number(number.toPrecision(10))
}

function measured(
  routine: string,
  target: string,
  chip: ReadonlyMap<string, Qubit>,
  random: Random,
): Partial<Entry> {
  const qubit = chip.get(target)
  if (!qubit) return edgeMeasured(routine, random)
  const { f01, t1, t2, amp180, motzoi, readout } = qubit
  const decay = (name: string, time: number): Partial<Entry> => ({
    parameters: { [`coherence.${name}`]: value(time, time * 0.05, 's', time * (0.9 + 0.2 * random())) },
    fit: lineFit(
      {
        ...{ model: 'exponential', sigma: 0.018 },
        x: { name: 'delay', unit: 's', values: spaced(0, 5 * time, 41) },
        signal: (t) => 0.02 + 0.95 * Math.exp(-t / time),
        params: { T: [time, time * 0.05], A: [0.95, 0.01], o: [0.02, 0.006] },
      },
      random,
    ),
  })
  switch (routine) {
    case 'resonator_spectroscopy':
      return {
        parameters: { 'clock_freqs.readout': value(readout, 900, 'Hz', readout + 3_400) },
        fit: lineFit(
          {
            ...{ model: 'resonator', sigma: 0.012 },
            x: { name: 'frequency', unit: 'Hz', values: spaced(readout - 2e6, readout + 2e6, 101) },
            signal: (f) => 1 - 0.7 / (1 + ((f - readout) / 0.21e6) ** 2),
            params: { f0: [readout, 900], kappa: [0.42e6, 6_000], depth: [0.7, 0.006] },
          },
          random,
        ),
      }
    case 'rabi_oscillations':
      return {
        parameters: { 'rxy.amp180': value(amp180, 0.0011, '', amp180 - 0.0012) },
        fit: lineFit(
          {
            ...{ model: 'cosine', sigma: 0.02 },
            x: { name: 'amplitude', unit: '', values: spaced(0, 1, 61) },
            signal: (a) => 0.5 - 0.46 * Math.cos((Math.PI * a) / amp180),
            params: { f: [0.5 / amp180, 0.002], c: [0.46, 0.004], o: [0.5, 0.003] },
          },
          random,
        ),
      }
    case 'ramsey_correction':
      return {
        parameters: { 'clock_freqs.f01': value(f01, 300, 'Hz', f01 - 28_300) },
        fit: lineFit(
          {
            ...{ model: 'o + exp(-t/T) (a cos 2πft + b sin 2πft)', sigma: 0.018 },
            x: { name: 'delay', unit: 's', values: spaced(4e-9, 12e-6, 81) },
            signal: (t) => 0.46 - 0.42 * Math.exp(-t / 9.6e-6) * Math.cos(2 * Math.PI * 428_300 * t),
            params: { f: [428_300, 300], T: [9.6e-6, 0.4e-6], a: [-0.42, 0.006], o: [0.46, 0.002] },
          },
          random,
        ),
      }
    case 'motzoi_parameter':
      return { parameters: { 'rxy.motzoi': value(motzoi, 0.002, '', motzoi - 0.003) } }
    case 't1':
      return decay('t1', t1)
    case 't2_echo':
      return { ...decay('t2_echo', t2), ...(target === 'q3' && { unresolved: true }) }
    case 'ro_duration_optimization':
      return { parameters: { 'measure.integration_time': value(2.1e-6, 0.15e-6, 's', 2.4e-6) } }
    case 'qubit_12_spectroscopy':
      return { parameters: { 'clock_freqs.f12': value(f01 - 212e6, 20_000, 'Hz', f01 - 211.86e6) } }
    case 'three_state_discrimination':
      return {
        fit: stateClouds(random, 150),
        parameters: { 'measure_3state.frequency': value(readout - 2e5, 4e3, 'Hz', readout - 1.8e5) },
      }
    default:
      return {}
  }
}

function edgeMeasured(routine: string, random: Random): Partial<Entry> {
  if (routine === 'cz_chevron') {
    return {
      parameters: {
        'clock_freqs.cz': value(7.14e8, 12_000, 'Hz', 7.1403e8),
        'cz.square_duration': value(8.8e-8, 4e-10, 's', 8.8e-8),
      },
      fit: chevron(7.14e8, 5.7e6, random),
    }
  }
  if (routine === 'coupler_anticrossing')
    return { parameters: { 'bias.parking_current': value(1.061e-3, 8e-6, 'A', 1.042e-3) } }
  return {}
}

function deadLine(base: Omit<Entry, 'status'>, random: Random): Entry {
  return {
    ...base,
    status: 'failed',
    attempts: 3,
    error: { code: 'no_signal', message: 'No line between 4.23 and 4.83 GHz.' },
    fit: lineFit(
      {
        ...{ model: 'lorentzian', sigma: 0.02 },
        x: { name: 'frequency', unit: 'Hz', values: spaced(4.23e9, 4.83e9, 121) },
        signal: (f) => 0.05 + 0.012 / (1 + ((f - 4.61e9) / 4e6) ** 2),
        params: { f0: [4.61e9, 2.1e6], w: [8e6, 6e6], A: [0.012, 0.014], o: [0.05, 0.003] },
      },
      random,
    ),
  }
}

const GATE_S = 28e-9

function qubitBenchmark(target: string, qubit: Qubit | undefined, random: Random) {
  const { t1, t2 } = qubit ?? { t1: 5e-5, t2: 4e-5 }
  const leakage = 8e-6
  const coherent = (3 + 5 * random()) * 1e-5
  const error = GATE_S / (3 * t1) + (GATE_S / 3) * (1 / t2 - 1 / (2 * t1)) + leakage + coherent
  return {
    ...{ protocol: 'randomized_benchmarking', target, metric: 'average_gate' },
    ...{ fidelity: digits10(1 - error), error: digits(error), fidelity_error: digits(error * 0.06) },
    ...{ leakage, gate_duration: GATE_S, raw_data: { depths: [1, 64, 256], survival: [[0.98, 0.95, 0.85]] } },
  }
}

function edgeBenchmark(target: string, at: number, random: Random) {
  const fidelity = at === 2 ? 0.946 : 0.982 + 0.008 * random()
  return {
    protocol: 'cz_rb',
    target,
    fidelity: digits(fidelity),
    error: digits(1 - fidelity),
    fidelity_error: 0.002,
  }
}

/** Repeatable numbers between 0 and 1 (mulberry32). */
function randomOf(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** The steps of a full run up to a routine, which is being measured on the third qubit. */
export function calibrationSteps(until = 'ro_duration_optimization', dead?: string): object[] {
  const { routines, skipped } = calibrationFindings(dead === undefined ? {} : { dead })
  const plan = GRAPH.map(({ routine, depends_on, kind, seconds }) => {
    const targets = kind === 'qubit' ? QUBITS : EDGES
    return { routine, depends_on, targets, planned: true, estimate_s: seconds * targets.length }
  })
  const total = GRAPH.length
  const last = GRAPH.findIndex(({ routine }) => routine === until)
  const outcomeAt = (routine: string, target: string) => {
    const isThis = (one: { routine: string; target: string }) =>
      one.routine === routine && one.target === target
    const found = routines.find(isThis)
    if (skipped.some(isThis)) return 'blocked'
    return found?.unresolved ? 'unresolved' : (found?.status ?? 'declined')
  }
  const ended = GRAPH.slice(0, last + 1).flatMap(({ routine, kind }, at) => {
    const targets = kind === 'qubit' ? QUBITS : EDGES
    return targets.slice(0, at === last ? 2 : undefined).map((target) => ({
      ...{ phase: 'routine', step: at + 1, total, routine, target },
      ...{ outcome: outcomeAt(routine, target), running: [target] },
    }))
  })
  const fit = routines.find(({ routine, target }) => routine === 't1' && target === 'q1')?.fit
  const trace = { routine: 't1', target: 'q1', ...fit, y_name: 'population', y_unit: '' }
  return [
    { phase: 'plan', step: 0, total, plan },
    { ...ended[0], trace },
    ...ended.slice(1),
    { phase: 'routine', step: last + 1, total, routine: until, target: 'q2', running: ['q2'] },
  ]
}
