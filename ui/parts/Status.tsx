import type { Condition, Glyph } from '../jobs/status.ts'

const GLYPHS: Record<Glyph, string> = {
  dot: 'M6 2a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
  ring: 'M6 1.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zm0 1.6a2.9 2.9 0 1 1 0 5.8 2.9 2.9 0 0 1 0-5.8z',
  half: 'M6 1.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zm0 1.5v6a3 3 0 0 1 0-6z',
  triangle: 'M6 1.4 11.4 10.6H.6z',
  play: 'M2.6 1.4 10.6 6l-8 4.6z',
  pause: 'M2.4 1.8h2.6v8.4H2.4zm4.6 0h2.6v8.4H7z',
  check: 'M10.3 2 4.6 7.9 1.9 5.4.8 6.7l3.9 3.6L11.6 3.2z',
  cross: 'M2.4 1.2 1.2 2.4 4.8 6 1.2 9.6l1.2 1.2L6 7.2l3.6 3.6 1.2-1.2L7.2 6l3.6-3.6-1.2-1.2L6 4.8z',
  dash: 'M1.5 5h9v2h-9z',
}

/** A state as glyph and word, so that color is never the only cue. */
export function Status({ tone, glyph, word }: Condition) {
  return (
    <span class={`status tone-${tone}`}>
      <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        <path d={GLYPHS[glyph]} />
      </svg>
      {word}
    </span>
  )
}
