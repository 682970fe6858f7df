/** What a driver knows when a job arrives. */
export interface CoordinatorState {
  /** Result id of the job under way. */
  running: string | undefined
  /** Number of the current lease. */
  epoch: number
  stopping: boolean
  /** Whether the result of this attempt is still at hand. */
  hasResult: boolean
}

/** `answer`: send its result again; `confirm`: it is under way already; otherwise why it is refused. */
export type DispatchDecision = 'run' | 'answer' | 'confirm' | 'old_epoch' | 'stopping' | 'busy'

/** Decides what to do with a dispatched attempt. A known attempt never runs twice, whatever the lease. */
export function decideDispatch(
  dispatch: { result: string; epoch: number },
  state: CoordinatorState,
): DispatchDecision {
  if (state.hasResult) return 'answer'
  if (state.running === dispatch.result) return 'confirm'
  if (dispatch.epoch < state.epoch) return 'old_epoch'
  if (state.stopping) return 'stopping'
  return state.running === undefined ? 'run' : 'busy'
}
