/** What libraries, browsers and the runtime say to those who program with them: never to users. */
export const FOREIGN_WORDS = [
  /\bE[A-Z]{3,}\b: |\berrno\b|syscall/,
  /able to access the url|typo in the url/i,
  /Expected never|but received|Invalid (type|key|format|length|value):/,
  /WWW-Authenticate|challenge/,
  /JSON Parse error|SyntaxError|TypeError|RangeError/,
  /is not a function|undefined is not|\[object |\bNaN\b|\bundefined\b/,
  /\n\s+at .*:\d+:\d+/,
  /PEM routines|error:[0-9A-F]{8}|SQLITE_|Directories cannot be read|incorrect header check|FormData/,
  /Flow sequence|block collection|This command does not take/,
  // Of browsers.
  /Failed to fetch|Load failed|NetworkError|network error|Importing a module|dynamically imported/i,
  /Unexpected (token|end|non-whitespace)|is not valid JSON|Cannot read propert|null is not an object/,
  /The operation was aborted|signal is aborted|DOMException|NotAllowedError/,
]
