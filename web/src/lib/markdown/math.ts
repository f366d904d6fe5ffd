// Formulas in answers come as \( \), \[ \], $ $ and $$ $$, next to prices such as $5. This turns
// those that are formulas into the one form that the Markdown parser is told to read, $$ $$, and
// leaves money alone. Code is not touched.

const CODE = /(^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\2[^\n]*$|$(?![\s\S]))|(`+)[\s\S]*?[^`]\3(?!`))/gm;
// pandoc's rule: no space inside the dollars and no digit after the second one.
const SINGLE_DOLLARS = /(?<![\\$])\$(?![\s$])((?:[^$\n\\]|\\.)*?[^\s$\\])\$(?![\d$])/g;
const PARENTHESES = /\\\(([\s\S]+?)\\\)/g;
// A line that is nothing but a formula is displayed.
const ALONE = /^ {0,3}\$\$([^$\n]+)\$\$[ \t]*$/gm;
const BRACKETS = /\\\[([\s\S]+?)\\\]/g;

export function normaliseMath(text: string): string {
  if (!/[$\\]/.test(text)) return text;
  let result = '';
  let at = 0;
  for (const code of text.matchAll(CODE)) {
    result += normaliseProse(text.slice(at, code.index)) + code[0];
    at = code.index + code[0].length;
  }
  return result + normaliseProse(text.slice(at));
}

export function hasMath(normalised: string): boolean {
  return normalised.includes('$$');
}

function normaliseProse(text: string): string {
  return text
    .replace(BRACKETS, (_, formula: string) => `\n$$\n${formula.trim()}\n$$\n`)
    .replace(ALONE, (_, formula: string) => `$$\n${formula.trim()}\n$$`)
    .replace(PARENTHESES, (_, formula: string) => `$$${formula.trim()}$$`)
    .replace(SINGLE_DOLLARS, (whole, formula: string) => (looksLikeMoney(formula) ? whole : `$$${formula}$$`));
}

// "$5 to US$" and "$12.50/": a number first and no sign of mathematics after it.
function looksLikeMoney(formula: string): boolean {
  return /^[\d.,]+/.test(formula) && !/[\\^_={}+*<>]/.test(formula) && !/^[\d.,]+$/.test(formula);
}
