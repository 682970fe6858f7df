import { gunzipSync } from 'bun'

/** A program as a tool has written it, with the exact distribution that `source` has computed. */
export interface ExportedProgram {
  tool: string
  /** Options of the exporter. */
  options: string
  /** What the circuit tests: mostly one gate between rotations. */
  name: string
  program: string
  /** Probability of each bit string, the first declared register rightmost; of less than 5e-13 left out. */
  probabilities: Record<string, number>
  source: string
  /** Why the program cannot run. */
  refused?: string
}

/** The programs of lines of JSON. */
export function exportedPrograms(lines: string): ExportedProgram[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ExportedProgram)
}

/** The stored programs of `tests/qasm/exports`. */
export async function storedPrograms(): Promise<ExportedProgram[]> {
  const bytes = await Bun.file(`${import.meta.dir}/../../qasm/exports/corpus.jsonl.gz`).bytes()
  return exportedPrograms(new TextDecoder().decode(gunzipSync(bytes)))
}

/** The largest difference of a probability between two distributions. */
export function largestDifference(a: Record<string, number>, b: Record<string, number>): number {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  return Math.max(...[...keys].map((key) => Math.abs((a[key] ?? 0) - (b[key] ?? 0))))
}
