import { AppError } from '../../../base/index.ts'
import type { Message } from './output.ts'

/** A message to send: text (as UTF-8) or bytes in one frame, or several frames for foreign peers. */
export type Body = Uint8Array | string | readonly Uint8Array[]

/** @throws AppError `invalid` when the message is larger than the peer accepts. */
export function toMessage(body: Body, maxBytes: number): Message {
  const message = typeof body === 'string' ? Buffer.from(body, 'utf8') : body
  const bytes =
    message instanceof Uint8Array ? message.length : message.reduce((sum, frame) => sum + frame.length, 0)
  if (bytes > maxBytes) {
    throw new AppError('invalid', `The message has ${bytes} bytes, the socket accepts at most ${maxBytes}`)
  }
  return message
}
