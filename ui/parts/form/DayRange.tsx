interface DayRangeProps {
  /** In which days begin. */
  zone: string
  /** Days, `2026-01-31`; empty without a bound. */
  from: string
  to: string
  set: (part: { from?: string; to?: string }) => void
}

/** The first day of a range and the day before which it ends, as two filters. */
export function DayRange({ zone, from, to, set }: DayRangeProps) {
  return (
    <>
      <label>
        From ({zone})
        <input
          type="date"
          value={from}
          onChange={({ currentTarget }) => set({ from: currentTarget.value })}
        />
      </label>
      <label>
        Before ({zone})
        <input type="date" value={to} onChange={({ currentTarget }) => set({ to: currentTarget.value })} />
      </label>
    </>
  )
}
