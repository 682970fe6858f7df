import { BELL } from '../../tests/support/executable/service.ts'

const BODY = JSON.stringify({ circuits: [{ circuit: BELL }], shots: 100 })

/**
 * Submits the job of the benchmarks to the product or to a reference, with as little work in the client as
 * possible.
 */
export async function postJob(url: string, token: string): Promise<{ status: number; id: string }> {
  const response = await fetch(`${url}/api/jobs`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: BODY,
  })
  const { id }: { id: string } = JSON.parse(await response.text())
  return { status: response.status, id }
}
