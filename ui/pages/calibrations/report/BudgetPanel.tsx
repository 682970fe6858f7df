import { formatQuantity } from '../../../lib/quantity.ts'
import { Panel } from '../../../parts/Panel.tsx'
import { ErrorBudget } from '../../../plots/fit/ErrorBudget.tsx'
import { budgetsOf } from '../reading/changes.ts'
import { limitingPart } from '../reading/error-budget.ts'
import type { ReadReport } from '../reading/read-report.ts'

const CAUSES = { relaxation: 'T1 decay', dephasing: 'dephasing', leakage: 'leakage' }

/** Where the errors of gates come from, and which of them tuning can remove. */
export function BudgetPanel({ report }: { report: ReadReport }) {
  const budgets = budgetsOf(report)
  const duration = budgets[0]?.duration
  const title =
    duration === undefined ? 'Error budget' : `Error budget of the X gate, ${Math.round(duration * 1e9)} ns`
  if (budgets.length === 0) {
    return (
      <Panel title={title}>
        <p class="padded soft">
          It needs randomized benchmarking, T1, T2 echo, the leakage and the duration of the gate of one qubit
          in the same report.
        </p>
      </Panel>
    )
  }
  const limited = budgets.flatMap(({ target, budget }) => {
    const part = limitingPart(budget)
    return part === undefined ? [] : [`${target} is limited by ${CAUSES[part]}`]
  })
  const unresolved = budgets.flatMap(({ target, budget: { coherentBelow } }) =>
    coherentBelow === undefined ? [] : [`${target} < ${(coherentBelow * 1e4).toPrecision(2)} × 10⁻⁴`],
  )
  return (
    <Panel title={title}>
      <div class="padded">
        <ErrorBudget
          label={`Error per gate of ${budgets.length} qubits by cause`}
          bars={budgets.map(({ target, budget }) => ({
            target,
            ...budget,
            text: `${formatQuantity(budget.total * 1e4, { uncertainty: budget.totalError && budget.totalError * 1e4 })} × 10⁻⁴`,
          }))}
        />
        <p class="hint">
          Total from randomized benchmarking, T1, T2 echo and leakage from this report. Only the coherent
          share (copper) can be tuned.{' '}
          {unresolved.length > 0 && <>It is not resolved (95 %): {unresolved.join(', ')}. </>}
          {limited.length > 0 && (
            <strong>{limited.slice(0, 3).join('; ')}: calibrating again will not help there.</strong>
          )}
        </p>
      </div>
    </Panel>
  )
}
