import { formatQuantity } from '../lib/quantity.ts'

interface QuantityProps {
  value: number | null | undefined
  unit?: string | undefined
  /** Standard uncertainty in the same unit. */
  uncertainty?: number | null | undefined
  /** Digits after the decimal point where there is no uncertainty. */
  digits?: number
}

/** A physical value with its unit, and its uncertainty in the last digits: `0.989(4)`. */
export function Quantity({ value, unit, uncertainty, digits }: QuantityProps) {
  if (value === null || value === undefined) return <>–</>
  return <span class="quantity">{formatQuantity(value, { unit, uncertainty, digits })}</span>
}
