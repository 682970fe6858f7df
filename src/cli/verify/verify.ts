import { resolve } from 'node:path'
import { flag, kinds } from '../../base/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { UsageError } from '../command-line/usage-error.ts'
import { CHECKSUMS, SIGNATURE } from './checksums.ts'
import { findReceipt, printReceipt, verifyJobReceipt } from './receipt.ts'
import { verifyRelease } from './release.ts'

export const verifyCommand = defineCommand({
  summary: 'Check that files of a release, or the receipt of a job, are whole and signed, without a network',
  positionals: [
    {
      name: 'PATH',
      isOptional: true,
      help: `Receipt, folder of a release, or a file of it beside its ${CHECKSUMS} and ${SIGNATURE}; if unset, this program`,
    },
  ],
  flags: {
    key: flag(
      kinds.nonEmptyText('key'),
      'For a release: public key of minisign, or its file; if unset, the keys of releases in this program',
    ),
    ca: flag(
      kinds.nonEmptyText('ca'),
      'For a receipt: root CA of the server, its file or SHA-256 fingerprint; if unset, that of the saved account',
    ),
    profile: flag(
      kinds.nonEmptyText('name'),
      'For a receipt: saved account; if unset, SVC_PROFILE or default',
    ),
    result: flag(kinds.path(), 'For a receipt: file with the results, which must be those of the receipt'),
  },
  async run({ flags: { key, ca, profile, result }, positionals: [given = process.execPath] }) {
    const path = resolve(given)
    const receipt = findReceipt(path)
    const ofReceipts = { ca, profile, result }
    if (receipt) {
      if (key !== undefined) throw new UsageError(`--key is for releases, but ${given} is a receipt`)
      return verifyJobReceipt(path, receipt, ofReceipts)
    }
    const [other] = Object.entries(ofReceipts).find(([, value]) => value !== undefined) ?? []
    if (other !== undefined) throw new UsageError(`--${other} is for receipts, but ${given} is not a receipt`)
    return verifyRelease(path, key)
  },
  print(verified) {
    if ('receipt' in verified) return printReceipt(verified)
    const { files, release, key } = verified
    for (const file of files) console.log(`${file}: OK`)
    console.log(`Files of ${release}, signed with the key ${key}: ${files.length}`)
  },
})
