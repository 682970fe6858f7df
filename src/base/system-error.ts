/** What errors of files mean, by the code of the system. */
const FILE_REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this account may not access it',
  EBUSY: 'another program uses it',
  EDQUOT: 'the quota of this account is used up',
  EEXIST: 'there is something of this name',
  EFBIG: 'it would be too large',
  EISDIR: 'it is a folder',
  ELOOP: 'it is a link, or links lead in a circle',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'its name is too long',
  ENFILE: 'too many files are open',
  ENODEV: 'there is no such device',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is not a folder',
  ENOTEMPTY: 'the folder is not empty',
  ENXIO: 'there is no such device',
  EPERM: 'this account may not do that',
  EIO: 'the disk or device fails',
  EROFS: 'its file system is read-only',
}

/** The same for connections, with the codes of the runtime. */
const CONNECTION_REASONS: Readonly<Record<string, string>> = {
  ConnectionClosed: 'the connection was closed',
  ConnectionRefused: 'nothing listens there',
  EADDRINUSE: 'another program has this port',
  EADDRNOTAVAIL: 'this machine does not have this address',
  EAI_AGAIN: 'names of hosts cannot be resolved now',
  ECONNABORTED: 'the connection was closed',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was closed',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  ENOTFOUND: 'there is no host of this name',
  EPIPE: 'the connection was closed',
  EPROTO: 'it does not speak TLS',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
  ETIMEDOUT: 'no response in time',
  FailedToOpenSocket: 'no connection is possible; check the name of the host and the port',
}

/**
 * What an error of the system says, without its codes, in a sentence that names the file or address;
 * undefined for other errors.
 */
export function systemReason(error: Error): string | undefined {
  const code = 'code' in error ? String(error.code) : ''
  const known = FILE_REASONS[code] ?? CONNECTION_REASONS[code]
  if (known !== undefined) return known
  if (code.startsWith('ERR_SSL_'))
    return `TLS fails: ${code.slice('ERR_SSL_'.length).replaceAll('_', ' ').toLowerCase()}`
  return 'syscall' in error ? /^E[A-Z0-9]+: ([^,]+)/.exec(error.message)?.[1] : undefined
}

/** The file that an error of the system is about; undefined for other errors. */
export function systemPath(error: Error): string | undefined {
  const isOfFile = 'syscall' in error && 'path' in error && typeof error.path === 'string'
  return isOfFile ? String(error.path) : undefined
}
