/**
 * Bytes and milliseconds of a result of 200,000 shots with memory, by format of the memory and coding of the
 * response, against the built executable: `bun bench/wire-format.ts [--rounds 20]`. Without coding and with
 * `hex` a response is as it was before both were added.
 */
import { submit } from '../tests/support/executable/job-calls.ts'
import { percentile } from './support/figures.ts'
import { Lab } from './support/lab.ts'
import { printHead, printRow, startBench } from './support/output.ts'
import { usedMs } from './support/processor-time.ts'

const SHOTS = 200_000
const QUBITS = [2, 16]
const FORMATS = ['hex', 'packed'] as const
const CODINGS = ['identity', 'gzip', 'zstd'] as const

const program = (qubits: number) =>
  `OPENQASM 3.0; include "stdgates.inc"; qubit[${qubits}] q; bit[${qubits}] c; h q; c = measure q;`

const { rounds } = startBench(`A result of ${SHOTS.toLocaleString('en')} shots with memory`)

await using lab = await Lab.open()
await lab.startDriver()
const { service, token } = lab
const pid = service.pid ?? Number.NaN

printHead(['bits, memory, coding', 'bytes', 'ms, p50', 'ms of the processor'])
for (const qubits of QUBITS) {
  for (const format of FORMATS) {
    const body = {
      circuits: [{ circuit: program(qubits) }],
      shots: SHOTS,
      memory: true,
      memory_format: format,
    }
    const id = await submit(service, token, body)
    await lab.untilCompleted([id])
    for (const coding of CODINGS) {
      const times: number[] = []
      let bytes = 0
      const used = usedMs(pid)
      for (let round = 0; round < rounds; round += 1) {
        const began = performance.now()
        const response = await fetch(`${service.url}/api/jobs/${id}`, {
          headers: { authorization: token, 'accept-encoding': coding },
          decompress: false,
        })
        bytes = (await response.arrayBuffer()).byteLength
        times.push(performance.now() - began)
      }
      printRow([
        `${qubits}, ${format}, ${coding}`,
        String(bytes),
        percentile(times, 0.5),
        (usedMs(pid) - used) / rounds,
      ])
    }
  }
}
