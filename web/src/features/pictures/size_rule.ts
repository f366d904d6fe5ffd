// The size at which the model uses a picture: the server's rule, so that the page can say before
// sending what a picture will cost. Same arithmetic as src/picture/size_rule.cc.

export interface Size {
  width: number;
  height: number;
}

export interface SizeRule {
  tokenSide: number;
  minPixels: number;
  maxPixels: number;
  maxTokens: number | null; // asked for, or the server's default
}

export function usedSize(original: Size, rule: SizeRule): Size {
  const tokenPixels = rule.tokenSide ** 2;
  const maxPixels = Math.min(rule.maxPixels, (rule.maxTokens ?? Infinity) * tokenPixels);
  const minPixels = Math.min(rule.minPixels, maxPixels);
  return capTokens(fitBudget(original, rule.tokenSide, minPixels, maxPixels), rule.tokenSide, rule.maxTokens);
}

export function imageTokens(used: Size, tokenSide: number): number {
  return (used.width / tokenSide) * (used.height / tokenSide);
}

function fitBudget({ width, height }: Size, factor: number, minPixels: number, maxPixels: number): Size {
  let wide = roundHalfEven(width / factor) * factor;
  let high = roundHalfEven(height / factor) * factor;
  if (wide * high > maxPixels) {
    const beta = Math.sqrt((height * width) / maxPixels);
    wide = Math.floor(width / beta / factor) * factor;
    high = Math.floor(height / beta / factor) * factor;
  } else if (wide * high < minPixels) {
    const beta = Math.sqrt(minPixels / (height * width));
    wide = Math.ceil((width * beta) / factor) * factor;
    high = Math.ceil((height * beta) / factor) * factor;
  }
  return { width: Math.max(factor, wide), height: Math.max(factor, high) };
}

// Strips so thin that one side cannot shrink further: the longer one pays.
function capTokens(size: Size, factor: number, maxTokens: number | null): Size {
  const short = Math.min(size.width, size.height) / factor;
  const long = Math.max(size.width, size.height) / factor;
  if (maxTokens === null || short * long <= maxTokens) return size;
  const longer = Math.max(1, Math.floor(maxTokens / short)) * factor;
  return size.width > size.height ? { width: longer, height: size.height } : { width: size.width, height: longer };
}

function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}
