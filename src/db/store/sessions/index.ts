export { clusterAccounts } from '../../collections/sessions/cluster_accounts.ts'
export { sessions } from '../../collections/sessions/sessions.ts'
export { isHeldByCluster, nameInCluster, userOfCluster } from './cluster-accounts.ts'
export {
  endHolder,
  type HeldSession,
  type Holder,
  holderById,
  leaveSession,
  listHolders,
  listSessions,
  MAX_HOLDERS,
  MAX_SECONDS,
  type NewHolder,
  readHolder,
  setSeconds,
  startSession,
} from './holders.ts'
export { renewHolder, renewWaits } from './holders-end.ts'
export { KnownSessions, openSession, openSessionsOf, type Session } from './known-sessions.ts'
export {
  type Advanced,
  advance,
  gateOf,
  inLine,
  latestEnd,
  MAX_CHARGE_MS,
  type OpenSession,
  type SessionFacts,
  type SessionGate,
} from './machine.ts'
export {
  closeSession,
  fundedMsOf,
  nextBookingOfOthers,
  paidBySessions,
  resumeSessions,
  sessionInTheWay,
  storeAdvanced,
} from './settle.ts'
