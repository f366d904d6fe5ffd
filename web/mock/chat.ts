import type { IncomingMessage, ServerResponse } from 'node:http';

// Plays an answer. A word in the question chooses another course: 401, 503, 400, die (the connection
// breaks half way), length, boxes, table, long.
export async function answerChat(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = JSON.parse(await bodyOf(request)) as { messages: { role: string; content: unknown }[]; max_tokens?: number };
  const last = body.messages.at(-1);
  const parts = Array.isArray(last?.content) ? (last.content as { type: string; text?: string }[]) : [];
  const question = parts.map((part) => part.text ?? '').join(' ') || String(last?.content);
  const pictures = parts.filter((part) => part.type === 'image_url').length;
  const refused = refusalOf(question);
  if (refused) {
    response.writeHead(refused.status, { 'Content-Type': 'application/json', ...refused.headers });
    response.end(JSON.stringify({ error: { message: refused.message, type: 'x', param: null, code: refused.code } }));
    return;
  }
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' });
  await play(response, question, pictures);
}

function refusalOf(question: string) {
  if (question.includes('401')) return { status: 401, code: 'missing_api_key', message: 'an API key is needed', headers: {} };
  if (question.includes('503')) return { status: 503, code: 'overloaded', message: '16 requests wait already', headers: { 'Retry-After': '5' } };
  if (question.includes('400')) return { status: 400, code: 'invalid_image', message: 'messages[0].content[0]: the file is cut short', headers: {} };
  return null;
}

async function play(response: ServerResponse, question: string, pictures: number): Promise<void> {
  const chunk = (fields: object) => response.write(`data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'Qwen3-VL-2B-Instruct', choices: [], ...fields })}\n\n`);
  const delta = (content: string, finish: string | null = null) => chunk({ choices: [{ index: 0, delta: content ? { content } : {}, finish_reason: finish }] });
  const progress = async (fields: object, ms: number) => {
    chunk({ ocelli_progress: fields });
    await pause(ms);
  };
  await progress({ phase: 'queue', position: 1 }, 600);
  for (let picture = 1; picture <= pictures; picture += 1) {
    for (let layer = 1; layer <= 24; layer += 1) await progress({ phase: 'encode', picture, pictures, layer, layers: 24 }, 40);
  }
  for (let done = 100; done <= 1000; done += 100) await progress({ phase: 'prefill', done_tokens: done, total_tokens: 1000 }, 80);
  for (const [index, piece] of (textFor(question).match(/[\s\S]{1,3}/g) ?? []).entries()) {
    if (response.destroyed) return;
    delta(piece);
    if (question.includes('die') && index === 20) return void response.destroy();
    await pause(question.includes('long') ? 8 : 25);
  }
  delta('', question.includes('length') ? 'length' : 'stop');
  const list = Array.from({ length: pictures }, () => ({ original_size: { width: 160, height: 64 }, used_size: { width: 416, height: 160 }, image_tokens: 65 }));
  chunk({ usage: { prompt_tokens: 120, completion_tokens: 80, total_tokens: 200, prompt_tokens_details: { cached_tokens: 55, image_tokens: 65 * pictures, pictures: list } } });
  response.end('data: [DONE]\n\n');
}

function textFor(question: string): string {
  if (/bbox|boxes/.test(question)) return BOXES;
  if (question.includes('逐行')) return 'OPEN 24\n营业时间 9:00–21:00\nTotal  $5.00';
  if (question.includes('long')) return RICH.repeat(40);
  return RICH;
}

const BOXES = '图中有两处文字：\n\n```json\n[\n  {"bbox_2d": [60, 220, 560, 760], "label": "单词 OPEN"},\n  {"bbox_2d": [600, 220, 900, 760], "label": "数字 24"},\n  {"point_2d": [500, 500], "label": "中心"}\n]\n```\n';

const RICH = `这是一块**招牌**，白底黑字，写着 \`OPEN 24\`，意思是全天营业。

## 细节

1. 字体是无衬线体，笔画均匀；
2. 左右留白相近，价格是 $5 到 $10。

| 项目 | 内容 | 说明 |
|---|---|---|
| 文字 | OPEN | 营业 |
| 数字 | 24 | 小时 |

面积可以写成 $S = w \\times h$，或者

$$\\int_0^1 x^2\\,dx = \\frac{1}{3}$$

\`\`\`python
def area(width, height):
    return width * height
\`\`\`

> 参考：[示例链接](https://example.org/)。<script>alert(1)</script>
`;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request) text += String(piece);
  return text;
}
