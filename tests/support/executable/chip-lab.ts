import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Running, startSvc } from './background-process.ts'
import type { Service } from './service.ts'

/** A device that describes itself by a file, read again after each job, and counts zeros only. */
const DEVICE = `
  import { readFileSync } from 'node:fs'
  import { circuitResultOf, defineDevice, jobResultsOf } from 'svc/devices'
  const bitsOf = (circuit) =>
    [...circuit.matchAll(/\\bbit(?:\\[(\\d+)\\])? |\\bcreg \\w+\\[(\\d+)\\]/g)].reduce(
      (sum, [, size, size2]) => sum + Number(size ?? size2 ?? 1), 0)
  export const chip = defineDevice({
    operation: 'process',
    name: 'chip',
    create: ({ raw, device }) => ({
      describe: () => JSON.parse(readFileSync(raw.description, 'utf8')),
      run: async ({ payload }) =>
        jobResultsOf(device, payload.circuits.map(({ circuit, shots = payload.shots }, circuitIndex) => circuitResultOf({
          circuitIndex, shots, counts: { ['0'.repeat(bitsOf(circuit))]: shots }, metadata: {},
          circuit: { qubits: 1, clbits: bitsOf(circuit), cregs: [['c', bitsOf(circuit)]], qregs: [['q', 1]] },
        })), {}),
    }),
  })
`

/** A QPU of a running service whose device describes itself as the test says. */
export class ChipLab {
  readonly name: string
  readonly qpu: { id: string; token: string; fingerprint: string }
  readonly #service: Service

  private constructor(service: Service, name: string, qpu: ChipLab['qpu']) {
    this.#service = service
    this.name = name
    this.qpu = qpu
  }

  static async register(service: Service, name: string): Promise<ChipLab> {
    return new ChipLab(service, name, await service.createQpu(name))
  }

  get #file(): string {
    return join(this.#service.folder, `${this.name}.json`)
  }

  /** What the device describes from now on. */
  describe(description: object): void {
    writeFileSync(this.#file, JSON.stringify({ schema: 1, ...description }))
  }

  start(): Running {
    const device = join(this.#service.folder, 'chip.ts')
    writeFileSync(device, DEVICE)
    const options = [`description=${this.#file}`]
    const args = this.#service.driverArgs(this.name, this.qpu.fingerprint, `${device}#chip`, options)
    return startSvc(args, { cwd: this.#service.folder, env: { SVC_ACCESS_TOKEN: this.qpu.token } })
  }
}
