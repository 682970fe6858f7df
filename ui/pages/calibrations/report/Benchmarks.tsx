import { formatLimit, formatQuantity } from '../../../lib/quantity.ts'
import { Panel } from '../../../parts/Panel.tsx'
import { type Column, DataTable } from '../../../parts/table/DataTable.tsx'
import type { Limits } from '../../../plots/chip/limits.ts'
import { limitOfValue } from '../reading/limits.ts'
import type { Benchmark } from '../reading/read-report.ts'

interface BenchmarksProps {
  benchmarks: readonly Benchmark[]
  /** Limits of the QPU. */
  limits: Limits
}

/** The fidelities of a report against their limits. */
export function Benchmarks({ benchmarks, limits }: BenchmarksProps) {
  const limitOf = ({ protocol, target, threshold }: Benchmark) =>
    limitOfValue({ parameter: `${protocol}.fidelity`, element: target, limits, reported: threshold })?.value
  const columns: Column<Benchmark>[] = [
    { title: 'Target', cell: ({ target }) => target },
    { title: 'Protocol', cell: ({ protocol }) => protocol },
    {
      title: 'Fidelity, %',
      number: true,
      cell: (benchmark) => fidelityText(benchmark, limitOf(benchmark)),
    },
    {
      title: 'Limit',
      number: true,
      cell(benchmark) {
        const limit = limitOf(benchmark)
        return limit === undefined ? '–' : formatLimit(limit * 100, 1)
      },
    },
    {
      title: 'Met',
      phone: 'state',
      cell: (benchmark) => <Verdict benchmark={benchmark} limit={limitOf(benchmark)} />,
    },
  ]
  return (
    <Panel title="Benchmarks">
      {benchmarks.length === 0 ? (
        <p class="padded soft">No benchmark was run.</p>
      ) : (
        <DataTable
          label="Benchmarks"
          rows={benchmarks}
          columns={columns}
          id={({ protocol, target }) => `${protocol} ${target}`}
        />
      )}
    </Panel>
  )
}

function fidelityText({ fidelity, uncertainty, upperBound }: Benchmark, limit?: number): string {
  if (upperBound) {
    const digits = Math.max(1, Math.ceil(-Math.log10(100 * upperBound.error)) + 1)
    return `> ${((1 - upperBound.error) * 100).toFixed(digits)} (${Math.round(upperBound.confidence * 100)} %)`
  }
  if (fidelity === undefined) return '–'
  return formatQuantity(fidelity * 100, {
    ...(uncertainty ? { uncertainty: uncertainty * 100 } : { digits: 3 }),
    limit: limit === undefined ? undefined : limit * 100,
  })
}

function Verdict({ benchmark, limit }: { benchmark: Benchmark; limit: number | undefined }) {
  const { fidelity, upperBound } = benchmark
  const least = fidelity ?? (upperBound && 1 - upperBound.error)
  if (least === undefined || limit === undefined) return null
  if (least >= limit) return <span class="tone-ok">✓ met</span>
  return upperBound ? <span class="soft">not resolved</span> : <b class="tone-bad">▲ below</b>
}
