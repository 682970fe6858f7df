/** The token in the set-up link: behind the #, or in the query for links that were written by hand. */
export function tokenIn({ hash, search }: Pick<Location, 'hash' | 'search'>): string {
  const token = hash.slice(1) || (new URLSearchParams(search).get('token') ?? '')
  return /^[0-9a-f]{16,100}$/.test(token) ? token : ''
}
