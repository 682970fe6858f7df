import { type Block, type Inline, parseMarkdown } from '../lib/markdown.ts'

/** A text of another person in the Markdown subset; it becomes elements, never markup. */
export function Markdown({ text }: { text: string }) {
  return (
    <div class="prose">
      {parseMarkdown(text).map((block, at) => (
        <BlockView key={at} block={block} />
      ))}
    </div>
  )
}

function BlockView({ block }: { block: Block }) {
  if (block.kind === 'paragraph') {
    return (
      <p>
        {block.lines.map((line, at) => (
          <span key={at}>
            {at > 0 && <br />}
            <Pieces of={line} />
          </span>
        ))}
      </p>
    )
  }
  const List = block.ordered ? 'ol' : 'ul'
  return (
    <List>
      {block.items.map((item, at) => (
        <li key={at}>
          <Pieces of={item} />
        </li>
      ))}
    </List>
  )
}

function Pieces({ of }: { of: readonly Inline[] }) {
  return (
    <>
      {of.map((piece, at) => (
        <Piece key={at} piece={piece} />
      ))}
    </>
  )
}

function Piece({ piece }: { piece: Inline }) {
  if (typeof piece === 'string') return <>{piece}</>
  if (piece.kind === 'code') return <code>{piece.text}</code>
  const content = <Pieces of={piece.content} />
  if (piece.kind === 'bold') return <strong>{content}</strong>
  if (piece.kind === 'italic') return <em>{content}</em>
  return piece.href.startsWith('/') ? (
    <a href={piece.href}>{content}</a>
  ) : (
    <a href={piece.href} target="_blank" rel="noopener noreferrer">
      {content}
    </a>
  )
}
