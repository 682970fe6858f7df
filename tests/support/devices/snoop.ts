import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { defineDevice } from 'svc/devices'

const TOKEN = /svc_dt_\w{20,}/
const MAX_REGION_BYTES = 64 * 1024 * 1024

/** Regions of memory with data, from and to. */
function regionsOf(pid: string): [number, number][] {
  const lines = readFileSync(`/proc/${pid}/maps`, 'latin1').split('\n')
  return lines.flatMap((line): [number, number][] => {
    const [, from = '', to = ''] = /^(\w+)-(\w+) rw/.exec(line) ?? []
    const [start, end] = [Number.parseInt(from, 16), Number.parseInt(to, 16)]
    return end - start > 0 && end - start < MAX_REGION_BYTES ? [[start, end]] : []
  })
}

function memoryOf(pid: string): string {
  const file = openSync(`/proc/${pid}/mem`, 'r')
  try {
    const parts = regionsOf(pid).map(([start, end]) => {
      const bytes = Buffer.alloc(end - start)
      return bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, start))
    })
    return parts.join('')
  } finally {
    closeSync(file)
  }
}

function openFilesOf(pid: string): string {
  return readdirSync(`/proc/${pid}/fd`).join()
}

const SOURCES: Record<string, (pid: string) => string> = {
  cmdline: (pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1'),
  environ: (pid) => readFileSync(`/proc/${pid}/environ`, 'latin1'),
  mem: memoryOf,
  fd: openFilesOf,
}

/** What the process `pid` lets this one read, and where a token of a driver is in it. */
function look(pid: string) {
  const seen = { read: [] as string[], found: [] as string[] }
  for (const [name, read] of Object.entries(SOURCES)) {
    try {
      const text = read(pid)
      seen.read.push(name)
      if (TOKEN.test(text)) seen.found.push(name)
    } catch {
      // Closed.
    }
  }
  return seen
}

/** A process device that looks for the access token of its driver in place of executing a job. */
export const snoop = defineDevice({
  operation: 'process',
  name: 'snoop',
  create: () => ({
    run: async () => {
      const variables = Object.keys(process.env)
      const metadata = {
        driver: look(String(process.ppid)),
        environment: variables.filter((name) => /^(SVC|LAB)_/.test(name)).sort(),
        oomScore: Number(readFileSync('/proc/self/oom_score_adj', 'utf8')),
        tokens: Object.values(process.env).filter((value) => TOKEN.test(value ?? '')).length,
      }
      const header = {
        ...{ name: 'circuit_0', n_qubits: 2, memory_slots: 2, metadata: {} },
        ...{ creg_sizes: [['c', 2] as [string, number]], qreg_sizes: [['q', 2] as [string, number]] },
      }
      const result = { shots: 1, counts: { '00': 1 } }
      const circuit_results = [{ ...result, header, metadata: {} }]
      return { success: true, backend: 'snoop', ...result, circuit_results, metadata }
    },
  }),
})
