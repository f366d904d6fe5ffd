import hello from '@examples/hello.png';
import open from '@examples/open.png';

// What a first visitor may try: pictures of ours with a question each.
export const EXAMPLE_PICTURES = [
  { key: 'open', url: open, name: 'open.png' },
  { key: 'hello', url: hello, name: 'hello.png' },
] as const;

export const EXAMPLE_QUESTIONS = ['read', 'describe', 'table', 'find'] as const;

// The example as if the user had chosen it.
export async function exampleFile(example: (typeof EXAMPLE_PICTURES)[number]): Promise<File> {
  const response = await fetch(example.url);
  return new File([await response.blob()], example.name, { type: 'image/png' });
}
