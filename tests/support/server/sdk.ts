import { EventSource } from 'eventsource'
import PocketBase, { ClientResponseError, type SendOptions } from 'pocketbase'
import { assertDeclared } from './declared-responses.ts'
import type { TestServer } from './server.ts'

// As the pages of the SDK recommend for runtimes without it.
Object.assign(globalThis, { EventSource })

/** The public SDK as a page or a script opens it; responses that no route declares fail the test. */
export function openSdk({ url, server }: Pick<TestServer, 'url' | 'server'>): PocketBase {
  const pb = new PocketBase(url)
  pb.afterSend = (response: Response, data: unknown, options?: SendOptions) => {
    const { pathname, searchParams } = new URL(response.url)
    // Parts of a response differ from the declaration of the route.
    if (searchParams.has('fields') && response.ok) return data
    const method = options?.method ?? 'GET'
    assertDeclared(server.routes, { method, path: pathname, status: response.status, body: data })
    return data
  }
  return pb
}

/** The SDK, signed in as a user. */
export async function openSdkAs(
  test: TestServer,
  account: { email: string; password: string },
): Promise<PocketBase> {
  const pb = openSdk(test)
  await pb.collection('users').authWithPassword(account.email, account.password)
  return pb
}

/** The SDK, signed in as the first superuser. */
export async function openSdkAsSuperuser(test: TestServer): Promise<PocketBase> {
  const pb = openSdk(test)
  await pb.collection('_superusers').authWithPassword(test.superuser.email, test.superuser.password)
  return pb
}

/** The error a call ends with. */
export async function refusal(call: Promise<unknown>): Promise<ClientResponseError> {
  const error = await call.then(
    (answer) => new Error(`was answered: ${JSON.stringify(answer)}`),
    (reason: unknown) => reason,
  )
  if (error instanceof ClientResponseError) return error
  throw error
}
