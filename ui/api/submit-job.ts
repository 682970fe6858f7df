import { randomKey } from '../lib/random-key.ts'
import { type Api, asApiError } from './api.ts'
import { createdJob } from './model/jobs.ts'

/** The submission to which the server has not responded. */
let unanswered: { text: string; key: string } | undefined

/**
 * Submits a job; returns its id. After a lost response, submitting the same again makes no second job: the
 * server recognizes the key for 24 h.
 *
 * @throws ApiError
 */
export async function submitJob(api: Api, body: object): Promise<string> {
  const text = JSON.stringify(body)
  if (unanswered?.text !== text) unanswered = { text, key: randomKey() }
  try {
    const { id } = await api.post('/api/jobs', body, createdJob, unanswered.key)
    unanswered = undefined
    return id
  } catch (error) {
    if (asApiError(error).status !== 0) unanswered = undefined
    throw error
  }
}
