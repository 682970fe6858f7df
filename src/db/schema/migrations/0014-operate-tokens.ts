import type { Migration } from '../migrate.ts'

/** API tokens may have the scope `operate`. */
export const operateTokens: Migration = {
  id: 14,
  name: 'operate-tokens',
  statements: [
    {
      table: 'api_tokens',
      changed:
        "\"scope\" TEXT NOT NULL DEFAULT 'all' CHECK (\"scope\" IN ('read', 'submit', 'all', 'operate'))",
    },
  ],
}
