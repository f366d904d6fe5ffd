// The only addresses that a link in an answer may have. Everything else (javascript:, data:, paths
// on this server) becomes plain text.
export function safeHref(href: string | undefined): string | undefined {
  if (!href) return undefined;
  try {
    const url = new URL(href); // relative addresses throw
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}
