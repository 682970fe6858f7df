import { AppError } from '../../base/index.ts'

/** The error of a wrong configuration: the program exits with status 2. */
export function badConfig(message: string): AppError {
  return new AppError('invalid', message, { reason: 'bad_config' })
}
