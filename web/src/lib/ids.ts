// A name that no other record has. Not crypto.randomUUID: that one is missing when the page is
// served over plain HTTP from another machine.
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(36).padStart(2, '0')).join('');
}
