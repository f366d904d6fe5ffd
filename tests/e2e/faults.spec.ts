import { Chat, expect, expectAccessible, screenshot, sentence, test } from './fixtures.ts';
import { pause, Program } from './program.ts';

test('a reload in the middle of an answer keeps what had arrived', async ({ visit, slow, words, page }) => {
  const chat = new Chat(await visit(slow.url), words);
  slow.line.eventMs = 600;
  await chat.addPictures('open.png');
  await chat.send('Read the text.');
  await expect(chat.lastAnswer).toContainText('OP');
  await page.waitForTimeout(1200); // kept every second
  await page.reload();
  await expect(chat.lastAnswer).toContainText(words.answer.states.interrupted);
  await expect(chat.lastAnswer).toContainText('OP');
  slow.line.eventMs = 0;
  await chat.button(words.answer.continue).click();
  await expect(chat.lastAnswer).toContainText('OPEN 24');
});

test('the server dies during an answer: nothing is lost, the page reconnects, retry works', async ({ visit, slow, words }, info) => {
  const chat = new Chat(await visit(slow.url), words);
  slow.line.eventMs = 300;
  await chat.addPictures('open.png');
  await chat.send('Read the text.');
  await expect(chat.lastAnswer).toContainText('OP');
  await slow.die();
  await expect(chat.lastAnswer).toContainText(words.errors.partial.network);
  await expect(chat.lastAnswer).toContainText('OP');
  await expect(chat.page.getByText(words.status.awayTitle)).toBeVisible();
  await expectAccessible(chat.page);
  await screenshot(chat.page, info, 'server-away');
  slow.line.eventMs = 0;
  await slow.program.restart();
  // The page may have come back by itself by now.
  const tryNow = chat.button(words.status.tryNow);
  await expect(async () => {
    if (await tryNow.isVisible()) await tryNow.click({ timeout: 1000 });
    await expect(chat.page.getByText(words.status.awayTitle)).toHaveCount(0, { timeout: 1000 });
  }).toPass();
  await expect(chat.lastAnswer).toContainText(words.errors.back);
  await chat.button(words.answer.retry).click();
  await expect(chat.lastAnswer).toContainText('OPEN 24');
  await expect(chat.lastAnswer.getByRole('group', { name: words.message.versions })).toContainText('2/2');
});

test('a question asked while the server is away is kept and can be retried', async ({ visit, slow, words }) => {
  const chat = new Chat(await visit(slow.url), words);
  await slow.die();
  await chat.addPictures('open.png');
  await chat.send('Read the text.');
  await expect(chat.lastAnswer).toContainText(words.errors.network);
  await slow.program.restart();
  await chat.button(words.answer.retry).click();
  await expect(chat.lastAnswer).toContainText('OPEN 24');
});

test('a full server is asked again after its Retry-After', async ({ visit, words }, info) => {
  const program = await Program.start('--max-queue', '1', '--max-sequences', '1');
  const busy = new AbortController();
  try {
    const chat = new Chat(await visit(program.url), words);
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'a' }], max_tokens: 8000, ignore_eos: true, stream: true });
    // Each asks again as soon as it is answered or refused: however fast the model is, the server stays full.
    const keepBusy = async () => {
      while (!busy.signal.aborted) {
        await fetch(`${program.url}v1/chat/completions`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, signal: busy.signal })
          .then((reply) => reply.text())
          .catch(() => null);
        await pause(50);
      }
    };
    for (let i = 0; i < 6; ++i) void keepBusy();
    await expect(async () => expect(await (await fetch(`${program.url}metrics`)).text()).toMatch(/waiting_requests 1/)).toPass();
    await chat.addPictures('open.png');
    await chat.send('Read the text.');
    await expect(chat.lastAnswer).toContainText(sentence(words.answer.retryBusy));
    await screenshot(chat.page, info, 'busy');
    busy.abort();
    await expect(chat.lastAnswer).toContainText('OPEN 24');
  } finally {
    busy.abort();
    await program.kill();
  }
});

test('a server with keys asks for one, and the question goes on with it', async ({ visit, words }, info) => {
  const program = await Program.start('--api-key', 'sesame');
  try {
    const chat = new Chat(await visit(program.url), words);
    await expect(chat.page.getByText(words.status.keyNotice)).toBeVisible();
    await chat.addPictures('open.png');
    await chat.send('Read the text.');
    await expect(chat.lastAnswer).toContainText(words.errors.key);
    await screenshot(chat.page, info, 'key');
    await chat.lastAnswer.getByRole('textbox', { name: words.settings.apiKey }).fill('sesame');
    await chat.button(words.errors.useKey).click();
    await expect(chat.lastAnswer).toContainText('OPEN 24');
    await expect(chat.page.getByText(words.status.keyNotice)).toHaveCount(0);
  } finally {
    await program.kill();
  }
});

test('the page works below a base path', async ({ visit, words }) => {
  const program = await Program.start('--base-path', '/ocelli');
  try {
    const chat = new Chat(await visit(`${program.url}ocelli/`), words);
    await chat.addPictures('open.png');
    await chat.send('Read the text.');
    await expect(chat.lastAnswer).toContainText('OPEN 24');
  } finally {
    await program.kill();
  }
});
