/** State of the coordinator when a task arrives. */
export interface CoordinatorState {
  /** Result id of the running task. */
  running: string | undefined
  /** Number of the current lease. */
  epoch: number
  stopping: boolean
  /** Whether the result of this attempt is still stored. */
  hasResult: boolean
}

/**
 * `resend`: send its result again; `confirm`: it is already running; the others are reasons for a refusal.
 */
export type DispatchDecision = 'run' | 'resend' | 'confirm' | 'old_epoch' | 'stopping' | 'busy'

/** Decides how to handle a dispatched attempt. A known attempt never runs twice, whatever the lease. */
export function decideDispatch(
  dispatch: { result: string; epoch: number },
  state: CoordinatorState,
): DispatchDecision {
  if (state.hasResult) return 'resend'
  if (state.running === dispatch.result) return 'confirm'
  if (dispatch.epoch < state.epoch) return 'old_epoch'
  if (state.stopping) return 'stopping'
  return state.running === undefined ? 'run' : 'busy'
}
