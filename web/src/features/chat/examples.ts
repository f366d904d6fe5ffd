import receipt from '@examples/receipt.png';
import shapes from '@examples/shapes.png';

// What a first visitor may try: pictures of ours with a question each.
export const EXAMPLE_PICTURES = [
  { key: 'receipt', url: receipt, name: 'receipt.png' },
  { key: 'shapes', url: shapes, name: 'shapes.png' },
] as const;

export const EXAMPLE_QUESTIONS = ['read', 'describe', 'table', 'find'] as const;

// The example as if the user had chosen it. Rejects when the server does not give it.
export async function exampleFile(example: (typeof EXAMPLE_PICTURES)[number]): Promise<File> {
  const response = await fetch(example.url);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return new File([await response.blob()], example.name, { type: 'image/png' });
}
