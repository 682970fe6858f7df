export {
  createShare,
  findShareByHash,
  listShares,
  removeShare,
  SHARED,
  type Share,
} from './shares.ts'
