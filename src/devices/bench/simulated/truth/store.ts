import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as v from 'valibot'
import { parse, stringify } from 'yaml'
import { StartupError } from '../../../errors.ts'
import { type ChipTruth, chipTruth } from './chip-truth.ts'

/** The name of the file in the data folder of a driver. */
export const TRUTH_FILE = 'simulated.chip.yml'

/**
 * Reads the truth of a simulated chip; draws and writes it where the file does not exist.
 * @throws StartupError naming every value at fault.
 */
export async function loadTruth(path: string, draw: () => ChipTruth): Promise<ChipTruth> {
  const file = Bun.file(path)
  if (await file.exists()) return readTruth(await file.text())
  const truth = draw()
  await mkdir(dirname(path), { recursive: true })
  await Bun.write(path, `${HEADER}${stringify(truth)}`)
  return truth
}

const HEADER = `# The hidden truth of a simulated chip, in Hz, s, A and rad. Calibrations never read this file.
# Change a value or add an event to see what a calibration finds; delete the file to draw another chip.
`

function readTruth(text: string): ChipTruth {
  let content: unknown
  try {
    content = parse(text)
  } catch (error) {
    const [reason = ''] = String(error instanceof Error ? error.message : error).split('\n')
    throw new StartupError(`${TRUTH_FILE}: ${reason}`)
  }
  const parsed = v.safeParse(chipTruth, content)
  if (!parsed.success) {
    throw new StartupError(
      parsed.issues.map((issue) => `${TRUTH_FILE}: ${v.getDotPath(issue) ?? 'the file'}: ${issue.message}`),
    )
  }
  const problem = inconsistency(parsed.output)
  if (problem !== undefined) throw new StartupError(`${TRUTH_FILE}: ${problem}`)
  return parsed.output
}

/** A name that the file uses without having it. */
function inconsistency({ qubits, edges, readout_lines }: ChipTruth): string | undefined {
  for (const [name, { readout }] of Object.entries(qubits))
    if (!(readout.line in readout_lines))
      return `qubits.${name}.readout.line: no readout line is called ${readout.line}`
  for (const [name, { high, low }] of Object.entries(edges))
    for (const end of [high, low]) if (!(end in qubits)) return `edges.${name}: the file has no qubit ${end}`
  return undefined
}
