import { AppError } from '../../base/index.ts'
import { readDeviceFile } from './device-file.ts'
import { ELEMENT_CLASSES } from './elements/element.ts'
import { type Fields, isFields } from './elements/element-type.ts'
import { isQuantumDevice } from './files/quantum-device.ts'
import { parseYaml } from './files/yaml-text.ts'
import { numberText } from './write-back/number-text.ts'

/** A device file made of a file of other software. */
interface ConvertedDeviceFile {
  /** The text of the device file. */
  text: string
  elements: number
  /** Dotted paths of the names that nothing uses. */
  unrecognized: readonly string[]
}

/** An element as `QuantumDevice.to_json` saves it. */
interface SavedElement {
  className: string
  /** Submodules and names. */
  data: Fields
}

/**
 * The device file with the content of one that `QuantumDevice.to_json` of quantify-scheduler has saved, with
 * elements as objects or as JSON texts, or that the newer scheduler has saved.
 * @throws AppError `invalid` with each problem.
 */
export function convertQuantumDevice(text: string): ConvertedDeviceFile {
  const yaml = parseYaml(text)
  if ('problems' in yaml) throw invalid(yaml.problems)
  if (!isQuantumDevice(yaml.content)) {
    throw invalid(['expected a file that QuantumDevice.to_json_file of quantify-scheduler has saved'])
  }
  const { content } = yaml
  const data = isFields(content['data']) ? content['data'] : content
  const problems: string[] = []
  const elements = ['elements', 'edges'].flatMap((key) =>
    Object.entries(isFields(data[key]) ? data[key] : {}).flatMap(([name, saved]) => {
      const element = elementOf(saved)
      if (!element) problems.push(`${key}.${name}: expected an element with its class and its data`)
      else if (!Object.hasOwn(ELEMENT_CLASSES, element.className)) {
        const classes = Object.keys(ELEMENT_CLASSES).join(', ')
        problems.push(`${key}.${name}: the class ${element.className} is not supported; ${classes} are`)
      } else return [[name, element] as const]
      return []
    }),
  )
  if (problems.length > 0) throw invalid(problems)
  const converted = elements.map(([name, element]) => textOfElement(name, element)).join('\n')
  const file = readDeviceFile(converted)
  if ('problems' in file) throw invalid(file.problems)
  return { text: converted, elements: elements.length, unrecognized: file.unrecognized }
}

function invalid(problems: readonly string[]): AppError {
  return new AppError('invalid', `The file cannot be converted\n  ${problems.join('\n  ')}`)
}

/** An element in either form; undefined for something else. */
function elementOf(saved: unknown): SavedElement | undefined {
  if (typeof saved === 'string') {
    const yaml = parseYaml(saved)
    return 'problems' in yaml || typeof yaml.content === 'string' ? undefined : elementOf(yaml.content)
  }
  if (!isFields(saved)) return undefined
  const { deserialization_type: type, element_type: newer, edge_type: newerEdge, data } = saved
  const path = [type, newer, newerEdge].find((each) => typeof each === 'string')
  if (path === undefined) return undefined
  return { className: String(path).split('.').at(-1) ?? '', data: isFields(data) ? data : saved }
}

const ENDS = ['parent_element_name', 'child_element_name'] as const

function textOfElement(name: string, { className, data }: SavedElement): string {
  const ends = ENDS.filter((key) => typeof data[key] === 'string').map((key) => `${key}: ${flow(data[key])}`)
  const args = ends.length > 0 ? '[]' : `[${flow(name)}]`
  const submodules = Object.entries(data).flatMap(([submodule, values]) => {
    if (!isFields(values)) return []
    const known = Object.entries(values).filter(([, value]) => value !== null && !isNotMeasured(value))
    return known.length > 0 ? [`  ${flow(submodule)}: ${flow(Object.fromEntries(known))}`] : []
  })
  return [
    `${flow(name)}:`,
    `  element_type: {path: svc.elements.${className}, args: ${args}, kwargs: {${ends.join(', ')}}}`,
    ...submodules,
    '',
  ].join('\n')
}

/** Python writes `NaN` into JSON for a value that was never measured. */
function isNotMeasured(value: unknown): boolean {
  return value === 'NaN' || Number.isNaN(value)
}

const PLAIN = /^[A-Za-z]\w*$/

/** A value in the flow style of YAML, on one line. */
function flow(value: unknown): string {
  if (typeof value === 'string') return PLAIN.test(value) && !isWord(value) ? value : JSON.stringify(value)
  if (typeof value === 'number') {
    const isCount = Number.isInteger(value) && Math.abs(value) < 1_000
    return isCount ? String(value) : Number.isFinite(value) ? numberText(value) : '.nan'
  }
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  if (isFields(value)) {
    return `{${Object.entries(value)
      .map(([key, each]) => `${flow(key)}: ${isNotMeasured(each) ? '.nan' : flow(each)}`)
      .join(', ')}}`
  }
  return String(value)
}

/** Words that readers of YAML take for something else than a text. */
function isWord(text: string): boolean {
  return /^(y|n|yes|no|on|off|true|false|null)$/i.test(text)
}
