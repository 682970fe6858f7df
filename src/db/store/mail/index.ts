export { type MailItem, queueAlertMails, queueMailItem } from '../../journal/mail-items.ts'
export {
  announceSlotStarts,
  announceTimeRequest,
  claimDigest,
  type Digest,
  discardAllDigests,
  finishDigest,
  hasDigests,
  hasSlotStarts,
  listDueDigests,
  postponeDigest,
} from './digests.ts'
