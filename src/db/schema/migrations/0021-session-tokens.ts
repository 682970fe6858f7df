import type { Migration } from '../migrate.ts'

/** API tokens may have the scope `session`. */
export const sessionTokens: Migration = {
  id: 21,
  name: 'session-tokens',
  statements: [
    {
      table: 'api_tokens',
      changed:
        "\"scope\" TEXT NOT NULL DEFAULT 'all' CHECK (\"scope\" IN ('read', 'submit', 'all', 'operate', 'session'))",
    },
  ],
}
