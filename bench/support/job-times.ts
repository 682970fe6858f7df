import type { Lab } from './lab.ts'

/** Times of one job in ms, from the first byte of its submission. */
interface JobTimes {
  /** Until the response to the submission. */
  submitted: number
  /** Until the event stream reports the completion. */
  completed: number
}

/** Submits `count` jobs one after the other and times each. */
export async function measureJobs(lab: Lab, count: number): Promise<JobTimes[]> {
  const listener = await lab.listen()
  const times: JobTimes[] = []
  for (let at = 0; at < count; at++) {
    const start = performance.now()
    const id = await lab.submit()
    const submitted = performance.now() - start
    times.push({ submitted, completed: (await listener.completed(id)) - start })
    // A random pause, so that submissions are not synchronized with a timer of the server.
    await Bun.sleep(Math.random() * 20)
  }
  listener.close()
  return times
}
