// Reading of JSON that came from elsewhere: a wrong type reads as absent.

export function objectAt(value: unknown, key: string): Record<string, unknown> | undefined {
  const inner = isObject(value) ? value[key] : undefined;
  return isObject(inner) ? inner : undefined;
}

export function numberAt(value: unknown, key: string): number | undefined {
  const inner = isObject(value) ? value[key] : undefined;
  return typeof inner === 'number' && Number.isFinite(inner) ? inner : undefined;
}

export function stringAt(value: unknown, key: string): string | undefined {
  const inner = isObject(value) ? value[key] : undefined;
  return typeof inner === 'string' ? inner : undefined;
}

export function listAt(value: unknown, key: string): unknown[] {
  const inner = isObject(value) ? value[key] : undefined;
  return Array.isArray(inner) ? inner : [];
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
