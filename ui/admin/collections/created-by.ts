/** What creates the records of a collection, besides this form or instead of it. */
interface Creation {
  route: string
  /** What only the route can do, or the reason for offering no form. */
  text: string
}

const CREATIONS: Readonly<Record<string, Creation>> = {
  quantum_jobs: { route: 'POST /api/jobs', text: 'also takes a name, tags and several programs.' },
  webhooks: { route: 'POST /api/webhooks', text: 'creates webhooks: their owners read the secret once.' },
  api_tokens: {
    route: 'POST /api/tokens',
    text: 'returns a new token; this form stores the SHA-256 of one.',
  },
  calibration_requests: {
    route: 'POST /api/op/calibrate/dispatch',
    text: 'also checks that the tuner is connected.',
  },
}

/** The route that creates records of a collection, if it does more than the form of its fields. */
export function creationOf(collection: string, named: (table: string) => string): Creation | undefined {
  return Object.entries(CREATIONS).find(([table]) => named(table) === collection)?.[1]
}
