// What of the sampler can be set here, with the bounds that the server has.
export interface SamplingField {
  key: keyof Sampling;
  min: number;
  max: number;
  step: number;
}

export interface Sampling {
  temperature: number;
  top_p: number;
  top_k: number;
  min_p: number;
  repetition_penalty: number;
  presence_penalty: number;
  frequency_penalty: number;
  max_tokens: number;
  seed: number;
}

export const SAMPLING_FIELDS: readonly SamplingField[] = [
  { key: 'temperature', min: 0, max: 2, step: 0.1 },
  { key: 'top_p', min: 0.01, max: 1, step: 0.05 },
  { key: 'top_k', min: 0, max: 1000, step: 1 },
  { key: 'min_p', min: 0, max: 1, step: 0.01 },
  { key: 'repetition_penalty', min: 0.01, max: 10, step: 0.05 },
  { key: 'presence_penalty', min: -2, max: 2, step: 0.1 },
  { key: 'frequency_penalty', min: -2, max: 2, step: 0.1 },
  { key: 'max_tokens', min: 1, max: 262_144, step: 64 },
  { key: 'seed', min: 0, max: Number.MAX_SAFE_INTEGER, step: 1 },
];

// Keeps what is a number within its bounds; the rest of `values` is dropped.
export function cleanSampling(values: unknown): Partial<Sampling> {
  const cleaned: Partial<Sampling> = {};
  if (typeof values !== 'object' || values === null) return cleaned;
  for (const { key, min, max } of SAMPLING_FIELDS) {
    const value = (values as Record<string, unknown>)[key];
    if (typeof value === 'number' && Number.isFinite(value)) cleaned[key] = Math.min(max, Math.max(min, value));
  }
  return cleaned;
}
