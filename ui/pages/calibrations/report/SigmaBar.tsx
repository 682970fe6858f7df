import { NOTABLE_SIGMA, sigmaBar } from '../reading/changes.ts'

/** A deviation as a bar on a logarithmic scale: gray below 2 σ. */
export function SigmaBar({ sigma }: { sigma: number }) {
  const share = sigmaBar(sigma)
  const text = Math.abs(sigma) < 10 ? sigma.toFixed(1) : sigma.toFixed(0)
  return (
    <>
      <svg width="64" height="12" aria-hidden="true">
        <line x1="32" x2="32" y1="0" y2="12" />
        <rect
          class={Math.abs(sigma) < NOTABLE_SIGMA ? 'small' : undefined}
          x={share < 0 ? 32 + share * 30 : 32}
          y="2"
          width={Math.max(1, Math.abs(share) * 30)}
          height="8"
        />
      </svg>
      <span>{text.replace('-', '−')}</span>
    </>
  )
}
