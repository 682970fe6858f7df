/** Frequencies of design of neighbors alternate between two bands, so that every gate is playable, Hz. */
const BANDS = [4.42e9, 4.95e9] as const
/** Qubits of a band differ by this from each other, Hz. */
const STEP = 25e6
const STEPS = 4
const ANHARMONICITY = -220e6
const FIRST_READOUT = 6.42e9
const READOUT_STEP = 85e6
const QUBITS_PER_LINE = 8

/** Slot of the first module of `source: qcm`: those before it play pulses. */
export const FIRST_BIAS_SLOT = 7

interface Grid {
  columns: number
  rows: number
  /** Class of the qubits. */
  qubit?: 'CalibratedTransmon' | 'BasicTransmonElement'
  /** What the edges have beside the gate: a tone for it, and a current for the coupler. */
  edge?: 'tone and bias' | 'tone' | 'neither'
  /** What holds the currents of the couplers. */
  source?: keyof typeof OUTPUTS
}

/** Outputs of four a module, as `bias` of an edge names them. */
const OUTPUTS = {
  spi: (index: number) => `spi_module: ${1 + Math.floor(index / 4)}, spi_output: ${index % 4}`,
  qcm: (index: number) =>
    `qcm_module: ${FIRST_BIAS_SLOT + Math.floor(index / 4)}, qcm_output: ${index % 4}, line_resistance_ohm: 800`,
}

/**
 * A device file as it is before the first calibration: qubits on a grid with a coupler between neighbors,
 * frequencies of the design, pulses of one half of full scale.
 */
export function designFile({
  columns,
  rows,
  qubit = 'CalibratedTransmon',
  edge = 'tone and bias',
  source = 'spi',
}: Grid): string {
  const names = Array.from({ length: columns * rows }, (_, index) => `q${index}`)
  const edges = names.flatMap((name, index) => [
    ...((index + 1) % columns === 0 ? [] : [[name, names[index + 1]]]),
    ...(names[index + columns] === undefined ? [] : [[name, names[index + columns]]]),
  ])
  const hertz = (value: number) => value.toExponential().replace(/^(\d)e/, '$1.0e')
  const qubits = names.map((name, index) => {
    const band = BANDS[((index % columns) + Math.floor(index / columns)) % 2] ?? BANDS[0]
    const f01 = band + STEP * (index % STEPS)
    const readout = FIRST_READOUT + READOUT_STEP * (index % QUBITS_PER_LINE)
    return `${name}:
  element_type: {path: svc.elements.${qubit}, args: [${name}], kwargs: {}}
  reset: {duration: 3.0e-4}
  rxy: {amp180: 0.5, motzoi: 0.0, duration: 5.6e-8}
  measure: {pulse_amp: 0.2, pulse_duration: 2.0e-6, acq_delay: 2.0e-7, integration_time: 1.8e-6}
  clock_freqs: {f01: ${hertz(f01)}, f12: ${hertz(f01 + ANHARMONICITY)}, readout: ${hertz(readout)}}
`
  })
  const className = edge === 'neither' ? 'CompositeSquareEdge' : 'FluxTunableCoupler'
  const tone = edge === 'neither' ? '' : '\n  clock_freqs: {cz: 3.1e+8}'
  const couplers = edges.map(([parent, child], index) => {
    const output = OUTPUTS[source](index)
    const bias =
      edge === 'tone and bias' ? `\n  bias:\n    {source: ${source}, ${output}, parking_current: 0.0}` : ''
    return `${parent}_${child}:
  element_type:
    path: svc.elements.${className}
    kwargs: {parent_element_name: ${parent}, child_element_name: ${child}}${tone}
  cz: {square_amp: 0.4, square_duration: 1.2e-7}${bias}
`
  })
  return [...qubits, ...couplers].join('\n')
}
