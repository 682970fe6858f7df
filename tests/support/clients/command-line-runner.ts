/**
 * `submit N` of `runner.ts`, with a process of `svc submit` for each job. Address and token come from the
 * environment.
 */
import { BELL, SVC } from '../executable/service.ts'

const left = Array.from({ length: Number(process.argv[3]) }, (_, at) => `job ${at}`).values()

async function submitRest(): Promise<void> {
  for (const name of left) {
    const args = ['submit', '-', '--shots', '10', '--qpu', 'kelvin', '--name', name, '--json']
    const made = Bun.spawn([SVC, ...args], { stdin: new Blob([BELL]), stdout: 'pipe', stderr: 'inherit' })
    const text = await new Response(made.stdout).text()
    if ((await made.exited) !== 0) process.exit(1)
    console.log(JSON.parse(text).id)
  }
}

await Promise.all([submitRest(), submitRest()])
