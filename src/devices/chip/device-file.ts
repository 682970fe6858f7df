import * as v from 'valibot'
import type { Edge, Element, Qubit } from './elements/element.ts'
import { isFields } from './elements/element-type.ts'
import { type ElementRemarks, readElement } from './elements/read-element.ts'
import { CONVERT_QUANTUM_DEVICE, isQuantumDevice } from './files/quantum-device.ts'
import { parseYaml, type YamlText } from './files/yaml-text.ts'

/** The qubits and edges of a device file. */
export interface Chip {
  /** In the order of the qubits of circuits: `q0`, `q1`, … when all have such names, else as in the file. */
  qubits: readonly Qubit[]
  /** As in the file. */
  edges: readonly Edge[]
  /** The qubit or edge with this name. */
  element(name: string): Element | undefined
}

/** A valid device file. */
export interface DeviceFile {
  chip: Chip
  /** Dotted paths of the names that nothing uses, such as `q0.rxy.amp18`. */
  unrecognized: readonly string[]
  yaml: YamlText
}

/** Whether this is the content of a device file rather than of another file in YAML. */
export function isDeviceFile(content: unknown): boolean {
  const element = v.looseObject({ element_type: v.unknown() })
  return v.is(v.pipe(v.record(v.string(), element), v.minEntries(1)), content)
}

/** Reads a `scheduler.device.yml`; returns all problems of an invalid text, one line each. */
export function readDeviceFile(text: string): DeviceFile | { problems: string[] } {
  const yaml = parseYaml(text)
  if ('problems' in yaml) return yaml
  if (!isFields(yaml.content)) {
    return { problems: ['line 1, column 1: expected names of qubits and edges with their parameters'] }
  }
  const remarks: ElementRemarks = { problems: [], unrecognized: [] }
  if (isQuantumDevice(yaml.content)) return { problems: [`line 1, column 1: ${CONVERT_QUANTUM_DEVICE}`] }
  const names = Object.keys(yaml.content)
  const elements = Object.entries(yaml.content).flatMap(
    ([name, body]) => readElement(name, body, remarks) ?? [],
  )
  const chip = chipOf(elements)
  for (const { name, parent, child } of chip.edges) {
    for (const end of [parent, child]) {
      if (names.includes(end) && chip.element(end)?.kind !== 'edge') continue
      remarks.problems.push({ path: [name], message: `the file has no qubit ${end}` })
    }
  }
  if (remarks.problems.length === 0 && chip.qubits.length === 0) {
    return { problems: ['line 1, column 1: the file has no qubit'] }
  }
  if (remarks.problems.length > 0) return { problems: yaml.describe(remarks.problems) }
  return { chip, unrecognized: remarks.unrecognized, yaml }
}

/** The chip with these elements. */
export function chipOf(elements: readonly Element[]): Chip {
  const byName = new Map(elements.map((element) => [element.name, element]))
  return {
    qubits: inOrder(elements.filter((element) => element.kind === 'qubit')),
    edges: elements.filter((element) => element.kind === 'edge'),
    element: (name) => byName.get(name),
  }
}

function inOrder(qubits: readonly Qubit[]): readonly Qubit[] {
  const named = new Map(qubits.map((qubit) => [qubit.name, qubit]))
  const numbered = qubits.map((_, index) => named.get(`q${index}`))
  return numbered.every((qubit) => qubit !== undefined) ? numbered : qubits
}
