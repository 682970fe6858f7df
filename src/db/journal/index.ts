export {
  type AuditEntry,
  appendAudit,
  auditChainAt,
  continueAuditChain,
  erasePersonal,
  lastAuditSeq,
  type PersonalDetail,
  readAuditChain,
} from './audit.ts'
export { type AuditFilter, type ListedAudit, listAudit, planAuditPage } from './list-audit.ts'
