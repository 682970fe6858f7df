import { expect, test } from 'bun:test'
import { couplersOf } from '../../../../src/devices/bench/current/couplers-of-chip.ts'
import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'

/** The edges q0_q1, q1_q2 … of a device file, with these `bias` blocks. */
function edgesWith(...biases: string[]) {
  const qubits = ['q0', ...biases.map((_, each) => `q${each + 1}`)]
  const text = [
    ...qubits.map(
      (name) => `${name}: {element_type: {path: svc.elements.BasicTransmonElement, args: [${name}]}}`,
    ),
    ...biases.map((bias, each) => {
      const [parent, child] = [`q${each}`, `q${each + 1}`]
      const ends = `{parent_element_name: ${parent}, child_element_name: ${child}}`
      return `${parent}_${child}: {element_type: {path: svc.elements.FluxTunableCoupler, kwargs: ${ends}}${bias}}`
    }),
  ].join('\n')
  const file = readDeviceFile(text)
  if ('problems' in file) throw new Error(file.problems.join('\n'))
  return file.chip.edges
}

test('edges name their outputs, by our names and those of other software', () => {
  const settings = { limit: 3.1e-3, maxStep: 1e-6, rampRate: 40e-6, abortRate: 1e-3, crosstalk: {} }
  const rack = edgesWith(
    ', bias: {source: spi, spi_module: 2, dac: 0, limit: 2.5e-3, crosstalk: {q1_q2: 0.03}}',
    '',
  )
  const address = { source: 'spi', module: 2, output: 0 }
  expect(couplersOf(rack, { isSimulated: false })).toEqual({
    couplers: [{ edge: 'q0_q1', address, ...settings, limit: 2.5e-3, crosstalk: { q1_q2: 0.03 } }],
    notes: [],
  } as ReturnType<typeof couplersOf>)
  const cluster = edgesWith(', bias: {source: qcm, qcm_module: 6, qcm_output: 3, line_resistance_ohm: 1000}')
  const output = { source: 'qcm', module: 6, output: 3, lineResistanceOhm: 1_000 }
  expect(couplersOf(cluster, { isSimulated: false })).toEqual({
    couplers: [{ edge: 'q0_q1', address: output, ...settings }],
    notes: [],
  } as ReturnType<typeof couplersOf>)
})

test('one chip uses one kind of source, also a simulated one', () => {
  const edges = edgesWith(', bias: {source: spi}', ', bias: {source: qcm}')
  for (const isSimulated of [false, true]) {
    expect(() => couplersOf(edges, { isSimulated })).toThrow('one chip uses one kind of current source')
  }
})

test('an incomplete address names what is missing; a simulated chip needs none', () => {
  const edges = edgesWith(
    ', bias: {parking_current: 1.0e-3}',
    ', bias: {source: spi, spi_output: 1}',
    ', bias: {source: spi, spi_module: 2}',
  )
  const { couplers, notes } = couplersOf(edges, { isSimulated: false })
  expect(couplers).toEqual([])
  expect(notes).toEqual([
    'q0_q1: bias.source is not set, so no source holds its current',
    'q1_q2: bias.spi_module is not set, so no source holds its current',
    'q2_q3: bias.spi_output is not set, so no source holds its current',
  ])
  const simulated = couplersOf(edges, { isSimulated: true })
  expect(simulated.couplers.map(({ address }) => address.source)).toEqual(Array(3).fill('simulated'))
})

test('a cluster needs the resistance of the line', () => {
  const edges = edgesWith(', bias: {source: qcm, qcm_module: 6, qcm_output: 3, line_resistance_ohm: 0}')
  expect(couplersOf(edges, { isSimulated: false }).notes).toEqual([
    'q0_q1: bias.line_resistance_ohm is not set, so no source holds its current',
  ])
})

test('faster ramps and larger steps than a coupler may have are capped, and said', () => {
  const edges = edgesWith(
    ', bias: {source: spi, spi_module: 2, spi_output: 0, ramp_rate: 1.0e-3, max_step: 5.0e-6}',
  )
  expect(couplersOf(edges, { isSimulated: false }).notes).toEqual([
    'q0_q1: bias.max_step is 0.000005 A; at most 0.000001 is used',
    'q0_q1: bias.ramp_rate is 0.001 A/s; at most 0.00004 is used',
  ])
})
