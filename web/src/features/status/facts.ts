import { isObject, listAt, numberAt, objectAt, stringAt } from '@/lib/api';
import { cleanSampling, type Sampling } from '@/features/settings';

// What the server says about its model and limits (GET /v1/models). Null: it does not say.
export interface ServerFacts {
  model: string;
  contextTokens: number | null;
  maxBodyBytes: number; // of one request, pictures as base64 and all
  defaults: Partial<Sampling>;
  pictures: PictureFacts;
}

export interface PictureFacts {
  tokenSide: number | null; // pixels along one side of an image token
  minPixels: number | null;
  maxPixels: number | null;
  defaultTokens: number | null; // most image tokens of a picture when nothing is asked
  maxBytes: number; // of one picture's file
  maxSourcePixels: number;
  maxCount: number; // pictures of one request
}

// The server's own defaults, for what it does not say.
export const FACTS_UNKNOWN: ServerFacts = {
  model: '',
  contextTokens: null,
  maxBodyBytes: 64 * 2 ** 20,
  defaults: {},
  pictures: {
    tokenSide: null,
    minPixels: null,
    maxPixels: null,
    defaultTokens: null,
    maxBytes: 32 * 2 ** 20,
    maxSourcePixels: 100_000_000,
    maxCount: 64,
  },
};

export function parseFacts(body: unknown): ServerFacts {
  const model = listAt(body, 'data').find(isObject);
  const pictures = objectAt(model, 'pictures');
  const unknown = FACTS_UNKNOWN.pictures;
  return {
    model: stringAt(model, 'id') ?? '',
    contextTokens: numberAt(model, 'context_length') ?? null,
    maxBodyBytes: numberAt(model, 'max_body_bytes') ?? FACTS_UNKNOWN.maxBodyBytes,
    defaults: cleanSampling(objectAt(model, 'default_sampling')),
    pictures: {
      tokenSide: numberAt(pictures, 'token_side') ?? null,
      minPixels: numberAt(pictures, 'min_pixels') ?? null,
      maxPixels: numberAt(pictures, 'max_pixels') ?? null,
      defaultTokens: numberAt(pictures, 'default_max_image_tokens') ?? null,
      maxBytes: numberAt(pictures, 'max_file_bytes') ?? unknown.maxBytes,
      maxSourcePixels: numberAt(pictures, 'max_source_pixels') ?? unknown.maxSourcePixels,
      maxCount: numberAt(pictures, 'max_pictures') ?? unknown.maxCount,
    },
  };
}
