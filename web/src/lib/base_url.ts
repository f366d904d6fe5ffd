// The folder that the page was served from, with its slash: "http://host/" or, below a base path,
// "http://host/ocelli/". Every route of the server is relative to it.
export function serverRoot(): string {
  return new URL('.', document.baseURI).href;
}

export function serverUrl(route: string): string {
  return new URL(route.replace(/^\//, ''), serverRoot()).href;
}
