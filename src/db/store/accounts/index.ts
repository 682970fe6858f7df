export { apiTokens, SCOPE_LADDER, TOKEN_SCOPES, type TokenScope } from '../../collections/api_tokens.ts'
export { externalAuths } from '../../collections/external_auths.ts'
export { notifications } from '../../collections/notifications.ts'
export { MAX_QPU_SECONDS, qpuTimeRequests } from '../../collections/qpu_time_requests.ts'
export { type Superuser, superusers } from '../../collections/superusers.ts'
export { type User, users } from '../../collections/users.ts'
export { DIRECTION_MARKS } from '../../hooks/plain-name.ts'
export { MAX_FAIR_WINDOW_MS } from '../../sums/old-use.ts'
export {
  type Account,
  accountSecret,
  changeAccount,
  changeUserAccount,
  findAccount,
  findAccountByEmail,
  findByApiToken,
  findSuperuser,
  findSuperuserByEmail,
  findUser,
  findUserByIdentity,
  type IdentityField,
  listSuperusers,
  readSuperusers,
  removeSuperuser,
  saveSuperuser,
} from './accounts.ts'
export { changeEmail, endIssued, resetPassword, verifyEmail } from './credentials.ts'
export { type ExternalIdentity, signInExternally } from './external-auths.ts'
export {
  type AccountKind,
  countIssued,
  disableProxy,
  endAccess,
  ISSUED,
  type IssuedAccess,
} from './issued-access.ts'
export {
  type AddressUse,
  forgetAddresses,
  isKnownAddress,
  type LastUse,
  listLastUses,
  MAX_KNOWN_ADDRESSES,
  rememberAddress,
  touchAddress,
} from './known-addresses.ts'
export { chargeOf, listLedger, postLedger } from './ledger.ts'
export { dismissNotification } from './notifications.ts'
export { proxyUserOf, syncProxyEmail } from './proxy-users.ts'
export { compareFair, RecentUse } from './recent-use.ts'
export { storedBytesLimit, storedBytesOf } from './stored-bytes.ts'
export {
  type ApiToken,
  createApiToken,
  findApiToken,
  listApiTokens,
  removeApiToken,
  syncOwner,
  updateApiToken,
} from './tokens.ts'
export {
  USAGE_GROUPS,
  USAGE_ORDERS,
  type Usage,
  type UsageGroup,
  type UsageQuery,
  usageStatement,
} from './usage.ts'
export { listUserActivity } from './user-activity.ts'
