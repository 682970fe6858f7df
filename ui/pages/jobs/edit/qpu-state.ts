import * as v from 'valibot'
import { count, text } from '../../../api/model/fields.ts'
import { calibrationValues, description } from '../../../api/model/qpus/chip.ts'
import { useApp } from '../../../app/app.ts'
import { useResource } from '../../../app/use-resource.ts'
import type { Problem } from '../../../jobs/problems.ts'
import type { QpuLimits } from '../../../jobs/submission.ts'
import { withMeasured } from '../../../plots/chip/with-measured.ts'

/** What a QPU allows and when it is free, for the form of a job. */
const qpuState = v.object({
  name: v.string(),
  queue_length: count,
  holder: v.optional(v.nullable(v.object({ mine: v.optional(v.boolean(), false), until: text }))),
  description: v.optional(v.nullable(v.object({ ...description.entries, num_qubits: count }))),
})
export type QpuState = v.InferOutput<typeof qpuState>

/** What the chosen QPU allows and when it is free; undefined for any QPU. */
export function useQpuState(qpu: string): QpuState | undefined {
  const { api } = useApp()
  const state = useResource(
    async (abort) => {
      if (!qpu) return undefined
      const [state, { values }] = await Promise.all([
        api.get(`/api/qpus/${encodeURIComponent(qpu)}`, qpuState, abort),
        api.get(`/api/calibration/values?qpu=${encodeURIComponent(qpu)}`, calibrationValues, abort),
      ])
      return { ...state, description: state.description && withMeasured(state.description, values) }
    },
    [qpu],
  )
  return qpu ? state.value.value : undefined
}

/**
 * The limits that a QPU describes, as the server applies them: a simulator without a list of qubits runs
 * programs that declare more than `num_qubits`.
 */
export function limitsOf({ name, description }: Pick<QpuState, 'name' | 'description'>): QpuLimits {
  const { limits, features, qubits = [] } = description ?? {}
  return {
    name,
    qubits: limits?.qubits ?? (qubits.length || undefined),
    shots: limits?.shots ?? undefined,
    executions: limits?.executions ?? undefined,
    features: features ?? undefined,
  }
}

/** The problem of a program with more qubits than the QPU has. */
export function tooManyQubits(qubits: number, limits: QpuLimits | undefined): Problem[] {
  if (limits?.qubits === undefined || qubits <= limits.qubits) return []
  const message = `The program declares ${qubits} qubits; ${limits.name} has ${limits.qubits}`
  return [{ field: 'program', text: message }]
}
