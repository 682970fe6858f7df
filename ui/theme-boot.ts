/** Runs before the first paint so that a page never flashes in the wrong theme. */
import { applyTheme, readTheme } from './app/theme.ts'

applyTheme(readTheme())
