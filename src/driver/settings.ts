import { messageOf } from '../base/index.ts'
import { checkSafePath, type PathContext } from '../devices/index.ts'
import { type Operation, parseFingerprint } from '../protocol/index.ts'

/** The options of `driver start`. */
export interface DriverSettings {
  /** `--svc-addr` */
  svcAddr: string
  /** `--token` */
  token: string
  operation: Operation
  /** Name of a built-in device, or an import path such as `./module.js#export`. */
  device: string
  /** `--ca-file`: where the server's root CA is kept. */
  caFile: string
  /** `--ca-fingerprint` */
  caFingerprint: string
  /** `--data-dir`, which `-o data_dir=` overrides. */
  dataDir: string
  /** `-o` arguments, `key=value` each. */
  optionPairs: string[]
}

/** How to reach the server, checked. */
export interface ServerAccess {
  /** Without trailing slash. */
  svcAddr: string
  token: string
  /** Absolute. */
  caFile: string
  /** 64 hexadecimal digits. */
  pin: string
}

/** Reads what concerns the server; returns every complaint, one per line, beside what could be read. */
export function readAccess(
  settings: DriverSettings,
  place: PathContext,
): ServerAccess & { reasons: string[] } {
  const reasons: string[] = []
  const svcAddr = readAddress(settings.svcAddr, reasons)
  if (settings.token === '') {
    reasons.push('missing required option --token (or SVC_ACCESS_TOKEN): the access token of this driver')
  }
  const pin = readPin(settings.caFingerprint, reasons)
  const caFile = checkSafePath(settings.caFile, place)
  if (caFile === undefined) {
    reasons.push(`bad value for --ca-file: ${settings.caFile} is not in a safe location`)
  }
  return { svcAddr, token: settings.token, caFile: caFile ?? '', pin, reasons }
}

function readAddress(text: string, reasons: string[]): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    reasons.push(
      `bad value for --svc-addr: "${text}" is not an http or https address (for example http://127.0.0.1:8090)`,
    )
    return ''
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    reasons.push('bad value for --svc-addr: use only scheme, host, port and path')
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

function readPin(text: string, reasons: string[]): string {
  if (text === '') {
    reasons.push(
      'missing required option --ca-fingerprint (or SVC_CA_FINGERPRINT): the SHA-256 fingerprint of the root CA, ' +
        'which the server prints when it starts',
    )
    return ''
  }
  try {
    return parseFingerprint(text)
  } catch (error) {
    reasons.push(`bad value for --ca-fingerprint: ${messageOf(error)}`)
    return ''
  }
}
