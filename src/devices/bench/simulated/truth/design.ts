import type { Chip } from '../../../chip/device-file.ts'

/** What a simulated qubit is drawn around: the values of the device file that are there. */
export interface QubitDesign {
  name: string
  f01?: number | undefined
  f12?: number | undefined
  readout?: number | undefined
  /** Duration of a π pulse, ns. */
  piDuration: number
}

/** What a simulated edge is drawn around. */
export interface EdgeDesign {
  name: string
  parent: string
  child: string
  kind: 'parametric' | 'baseband'
  /** The current at which the coupler is parked, A. */
  parkingCurrent?: number | undefined
}

/** The chip as the device file describes it. */
export interface ChipDesign {
  qubits: QubitDesign[]
  edges: EdgeDesign[]
}

/** The design in a device file; an edge with a frequency of its own has a parametric gate. */
export function designOf(chip: Chip): ChipDesign {
  return {
    qubits: chip.qubits.map((qubit) => ({
      name: qubit.name,
      f01: measured(qubit.get('clock_freqs.f01')),
      f12: measured(qubit.get('clock_freqs.f12')),
      readout: measured(qubit.get('clock_freqs.readout')),
      piDuration: Math.round((qubit.get('rxy.duration') ?? 20e-9) * 1e9),
    })),
    edges: chip.edges.map((edge) => ({
      name: edge.name,
      parent: edge.parent,
      child: edge.child,
      kind: edge.has('clock_freqs.cz') ? 'parametric' : 'baseband',
      parkingCurrent: finite(edge.get('bias.parking_current')),
    })),
  }
}

/** A frequency that a person measured or designed. */
function measured(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined
}

function finite(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) ? value : undefined
}
