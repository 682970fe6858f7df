import { CopyButton } from './CopyButton.tsx'

interface CodeBlockProps {
  text: string
  /** What the text is, such as `Start command`. */
  title?: string
  onCopy?: () => void
}

/** Text to copy: a command, a file, a token. */
export function CodeBlock({ text, title, onCopy }: CodeBlockProps) {
  return (
    <figure class="code">
      <figcaption>
        <span>{title}</span>
        <CopyButton text={text} what={title?.toLowerCase() ?? ''} {...(onCopy && { onCopy })} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll, also by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  )
}
