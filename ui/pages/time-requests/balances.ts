/** Adds the balance after each change; the changes are the newest ones, newest first. */
export function withBalances<Entry extends { seconds: number }>(
  entries: readonly Entry[],
  balance: number,
): (Entry & { after: number })[] {
  let after = Math.round(balance * 1_000)
  return entries.map((entry) => {
    const row = { ...entry, after: after / 1_000 }
    after -= Math.round(entry.seconds * 1_000)
    return row
  })
}
