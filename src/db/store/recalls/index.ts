export {
  declareRecall,
  listRecalls,
  type Recall,
  type RecallSubject,
  undoRecall,
} from './recalls.ts'
export { hasUnsettledJobs, listOpenRecalls, settleJobs } from './refunds.ts'
export { type RecallMark, recallOf, recallsOf, recallsOfReports } from './touch.ts'
