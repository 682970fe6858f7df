/**
 * What tests and benchmarks of clients run in a process of its own, here with the JavaScript client; see
 * `runners.ts`.
 *
 * `submit N` submits N jobs, ten at a time, and prints their ids; `wait N` submits N jobs, prints `waiting`,
 * waits for all, and prints how many have completed; `read IDS` waits for jobs by their ids, separated by
 * commas, and prints the same. Address and token come from the environment.
 */
import { SvcClient } from '../../../clients/js/src/index.ts'
import { BELL } from '../executable/service.ts'

const [command, count = '1'] = process.argv.slice(2)
const svc = new SvcClient()
const submit = (name: string) => svc.submitJob({ circuits: [BELL], shots: 10, qpu: 'kelvin', name })
if (command === 'read') {
  const ended = await svc.wait(count.split(','))
  console.log(`completed ${ended.filter(({ status }) => status === 'completed').length}`)
  process.exit()
}
const names = Array.from({ length: Number(count) }, (_, at) => `job ${at}`)

if (command === 'submit') {
  const left = names.values()
  const submitRest = async () => {
    for (const name of left) console.log((await submit(name)).id)
  }
  await Promise.all(Array.from({ length: 10 }, submitRest))
} else {
  const jobs = []
  for (const name of names) jobs.push(await submit(name))
  console.log('waiting')
  const ended = await svc.wait(jobs)
  console.log(`completed ${ended.filter(({ status }) => status === 'completed').length}`)
}
