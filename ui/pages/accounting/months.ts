/** A month (UTC) some months later or earlier: `2026-11`. */
export function shiftMonth(month: string, months: number): string {
  const date = new Date(`${month}-01T00:00:00Z`)
  date.setUTCMonth(date.getUTCMonth() + months)
  return date.toISOString().slice(0, 7)
}

/** Every month of a range, both ends included. */
export function monthsOf(from: string, to: string): string[] {
  const months: string[] = []
  for (let month = from; month <= to && months.length < 120; month = shiftMonth(month, 1)) months.push(month)
  return months
}

/** `Nov 2026`. */
export function formatMonth(month: string): string {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'short', year: 'numeric' })
  return format.format(new Date(`${month}-01T00:00:00Z`))
}

/** A bar for each month: the seconds of the month, 0 where there are none. */
export function barsOf({
  from,
  to,
  items,
}: {
  from: string
  to: string
  items: readonly { month: string; qpu_seconds: number }[]
}): { month: string; seconds: number }[] {
  return monthsOf(from, to).map((month) => ({
    month,
    seconds: items.filter((item) => item.month === month).reduce((sum, item) => sum + item.qpu_seconds, 0),
  }))
}

/** Parts of an axis that ends at `roundedUp()`, so that its lines have round values too. */
export function partsOf(end: number): number {
  const unit = end >= 7_200 ? 3_600 : end >= 120 ? 60 : 1
  const digit = Number(String(end / unit).replace(/^[0.]+/, '')[0])
  return { 1: 5, 2: 4, 3: 3, 5: 5, 6: 3 }[digit] ?? 4
}

/** The end of an axis for a largest value in s: a round number of seconds, minutes or hours. */
export function roundedUp(seconds: number): number {
  const unit = seconds >= 7_200 ? 3_600 : seconds >= 120 ? 60 : 1
  const size = Math.max(seconds / unit, 1e-9)
  const power = 10 ** Math.floor(Math.log10(size))
  const step = [1, 2, 3, 4, 5, 6, 8, 10].find((each) => each * power >= size * (1 - 1e-9)) ?? 10
  return step * power * unit
}
