/** Runs before the first paint so that a page never flashes in the wrong theme or density. */
import { applyPreferences, readPreferences } from './app/preferences.ts'
import { applyTheme, readTheme } from './app/theme.ts'

applyTheme(readTheme())
applyPreferences(readPreferences())
