import type { Signal } from '@preact/signals'
import type { BarOrder } from '../../jobs/counts.ts'
import { Segments } from './Segments.tsx'

/** What the height of a bar is. */
export type BarUnit = 'count' | 'probability'

/** The order of the bars of a histogram. */
export function OrderChoice({ value }: { value: Signal<BarOrder> }) {
  return (
    <Segments
      label="Order of the outcomes"
      value={value}
      choices={[
        ['outcome', 'By outcome'],
        ['count', 'By count'],
      ]}
    />
  )
}

/** Counts or probabilities. */
export function UnitChoice({ value }: { value: Signal<BarUnit> }) {
  return (
    <Segments
      label="Height of the bars"
      value={value}
      choices={[
        ['count', 'Count'],
        ['probability', 'Probability'],
      ]}
    />
  )
}
