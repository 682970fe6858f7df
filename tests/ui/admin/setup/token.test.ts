import { expect, test } from 'bun:test'
import { tokenIn } from '../../../../ui/admin/setup/token.ts'

const TOKEN = 'a1b2'.repeat(16)

test('the token of the set-up link is behind the # or in the query, and nothing else is taken for one', () => {
  expect(tokenIn({ hash: `#${TOKEN}`, search: '' })).toBe(TOKEN)
  expect(tokenIn({ hash: '', search: `?token=${TOKEN}` })).toBe(TOKEN)
  for (const hash of ['', '#', '#content', `#${TOKEN} `, '#<script>'])
    expect(tokenIn({ hash, search: '' })).toBe('')
})
