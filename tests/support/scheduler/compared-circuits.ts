import { createRng } from '../../../src/simulator/index.ts'

/** One gate after the other; angles in degrees. */
export type ComparedGate =
  | { kind: 'rxy'; qubit: string; theta: number; phi: number }
  | { kind: 'cz' }
  | { kind: 'delay'; ns: number }

/** Values of both qubits and their edge, as in a device file. */
export const ELEMENTS = {
  q0: qubit(0.115, 0.1, 4.42e9, 6.45e9),
  q1: qubit(0.31, -0.2, 4.95e9, 6.53e9),
  q0_q1: { cz: { square_amp: 0.31, square_duration: 36e-9 } },
}

function qubit(amp180: number, motzoi: number, f01: number, readout: number) {
  const timing = { pulse_duration: 2e-6, acq_delay: 200e-9, integration_time: 1.8e-6 }
  return {
    reset: { duration: 1e-6 },
    rxy: { amp180, motzoi, duration: 20e-9 },
    measure: { pulse_amp: 0.2, ...timing },
    clock_freqs: { f01, readout },
  }
}

/** The same as the text of a device file. */
export function elementsText(): string {
  const type = (path: string, args: string[]) => ({ element_type: { path: `a.${path}`, args } })
  return JSON.stringify({
    q0: { ...type('BasicTransmonElement', ['q0']), ...ELEMENTS.q0 },
    q1: { ...type('BasicTransmonElement', ['q1']), ...ELEMENTS.q1 },
    q0_q1: { ...type('CompositeSquareEdge', ['q0', 'q1']), ...ELEMENTS.q0_q1 },
  })
}

/** Two drive lines, a readout line and a flux line. */
export const HARDWARE = {
  config_type: 'quantify_scheduler.backends.qblox_backend.QbloxHardwareCompilationConfig',
  hardware_description: {
    cluster0: {
      ...{ instrument_type: 'Cluster', ref: 'internal', ip: '192.168.0.2' },
      modules: {
        2: { instrument_type: 'QCM_RF' },
        5: { instrument_type: 'QRM_RF' },
        6: { instrument_type: 'QCM' },
      },
    },
  },
  hardware_options: {
    modulation_frequencies: {
      'q0:mw-q0.01': { lo_freq: 4.35e9 },
      'q1:mw-q1.01': { lo_freq: 4.85e9 },
      'q0:res-q0.ro': { lo_freq: 6.6e9 },
      'q1:res-q1.ro': { lo_freq: 6.6e9 },
    },
  },
  connectivity: {
    graph: [
      ['cluster0.module2.complex_output_0', 'q0:mw'],
      ['cluster0.module2.complex_output_1', 'q1:mw'],
      ['cluster0.module5.complex_output_0', ['q0:res', 'q1:res']],
      ['cluster0.module6.real_output_0', 'q0:fl'],
    ],
  },
}

/** 32 circuits: single gates at several angles, delays of 1 to 10 ns, CZ, CX, and random ones. */
export function comparedCircuits(): ComparedGate[][] {
  // The golden numbers are those of half turns about axes up to 90°.
  const turn = (qubit: string, theta: number, phi: number): ComparedGate => ({
    ...{ kind: 'rxy', qubit, theta, phi: theta === 180 && phi > 90 ? phi - 180 : phi },
  })
  const cx: ComparedGate[] = [turn('q1', 90, 90), { kind: 'cz' }, turn('q1', 90, 90)]
  const rng = createRng(30)
  const pick = <T>(...values: T[]): T => values[Math.floor(rng.next() * values.length)] as T
  const random = () =>
    Array.from({ length: 6 }, (): ComparedGate => {
      const gate = turn(pick('q0', 'q1'), pick(30, 45, 90, 180), pick(0, 30, 60, 90, 135))
      return pick<ComparedGate>(gate, gate, { kind: 'cz' }, { kind: 'delay', ns: pick(4, 7, 20, 53) })
    })
  return [
    ...[0, 45, 90, 120, 135].map((phi) => [turn('q0', 180, phi), turn('q0', 90, phi + 45)]),
    ...Array.from({ length: 10 }, (_, index): ComparedGate[] => [
      ...[turn('q0', 180, 0), { kind: 'delay' as const, ns: index + 1 }, turn('q1', 90, 90)],
    ]),
    ...[[{ kind: 'cz' as const }], cx, [turn('q0', 90, 90), ...cx], [...cx, ...cx]],
    ...Array.from({ length: 13 }, random),
  ]
}

/** The text of a circuit; barriers keep its gates apart and in their order. */
export function textOf(gates: readonly ComparedGate[]): string {
  const lines = gates.flatMap((gate) => {
    if (gate.kind === 'cz') return ['cz q[0], q[1];']
    if (gate.kind === 'delay') return [`delay[${gate.ns}ns] q[0];`]
    const { theta, phi } = gate
    const target = `q[${gate.qubit.slice(1)}];`
    const [turn, frame] = [(theta * Math.PI) / 180, (phi * Math.PI) / 180]
    return [`rz(${-frame}) ${target} rx(${turn}) ${target} rz(${frame}) ${target}`]
  })
  const head = 'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c;'
  return [head, ...lines.flatMap((each) => [each, 'barrier q;']), 'c = measure q;'].join('\n')
}
