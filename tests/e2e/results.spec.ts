import { readFileSync } from 'node:fs';
import { EXAMPLES, expect, expectAccessible, screenshot, sentence, test, type Chat } from './fixtures.ts';

test('OCR: the text beside its picture, to copy and to download', async ({ chat, words }, info) => {
  await chat.addPictures('open.png');
  await chat.page.getByRole('switch', { name: words.ocr.switch }).click();
  await chat.button(words.composer.send).click();
  await chat.answered();
  const result = chat.lastAnswer.getByRole('region', { name: words.ocr.result, exact: true });
  await expect(result.getByRole('img', { name: 'open.png' })).toBeVisible();
  await expect(result.getByRole('region', { name: words.ocr.text })).toContainText('24');
  await expect(result.getByRole('button', { name: words.ocr.copy })).toBeVisible();
  for (const form of ['txt', 'md', 'json'] as const) {
    await result.getByRole('button', { name: words.ocr.download }).click();
    const download = chat.page.waitForEvent('download');
    await chat.page.getByRole('menuitem', { name: words.ocr.forms[form] }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe(`open.${form}`);
    const text = readFileSync(await file.path(), 'utf8');
    if (form === 'json') expect(JSON.parse(text)).toMatchObject({ pictures: [{ name: 'open.png', width: 160, height: 64 }], complete: true });
    else expect(text).toContain('24');
    await expect(chat.page.getByRole('menu')).toHaveCount(0);
  }
  await expectAccessible(chat.page);
  await screenshot(chat.page, info, 'ocr');
});

// An answer as the large model gives it; the embedded one knows neither boxes nor formulas.
async function importAnswer(chat: Chat, text: string, usage?: object): Promise<void> {
  const at = Date.now();
  const message = { conversationId: 'conversation1', createdAt: at, ocr: false, pictureIds: [] as string[] };
  const file = {
    format: 'ocelli-history',
    version: 1,
    conversations: [{ id: 'conversation1', title: 'Imported', renamed: true, createdAt: at, updatedAt: at, shown: {} }],
    messages: [
      { ...message, id: 'question1', parentId: null, role: 'user', text: 'Where?', pictureIds: ['picture001'] },
      { ...message, id: 'answer0001', parentId: 'question1', role: 'assistant', text, answer: { state: 'done', model: 'm', savedAt: at, ...(usage ? { usage } : {}) } },
    ],
    pictures: [{ id: 'picture001', name: 'open.png', kind: 'PNG', bytes: 1, width: 160, height: 64, addedAt: at, data: readFileSync(`${EXAMPLES}open.png`).toString('base64') }],
  };
  await chat.openHistory();
  const input = chat.page.locator('input[type=file][accept*=json]');
  await input.setInputFiles({ name: 'history.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(file)) });
  await chat.page.getByRole('button', { name: 'Imported', exact: true }).click();
  await expect(chat.lastAnswer).toBeVisible();
}

test('boxes and points are drawn on the picture with their labels', async ({ chat, words }, info) => {
  await importAnswer(chat, 'Here:\n```json\n[{"bbox_2d": [50, 200, 560, 780], "label": "OPEN"}, {"bbox_2d": [600, 200, 900, 780], "label": "24"}, {"point_2d": [500, 500], "label": "middle"}]\n```');
  const figure = chat.lastAnswer.locator('figure');
  const picture = figure.getByRole('img');
  await expect(picture).toBeVisible();
  const frame = await picture.boundingBox();
  const box = await figure.locator('[data-colour="0"]').first().boundingBox();
  expect(frame && box).toBeTruthy();
  if (frame && box) {
    expect(Math.abs((box.x - frame.x) / frame.width - 0.05)).toBeLessThan(0.01);
    expect(Math.abs(box.width / frame.width - 0.51)).toBeLessThan(0.02);
    expect(Math.abs((box.y - frame.y) / frame.height - 0.2)).toBeLessThan(0.02);
  }
  const entry = figure.getByRole('list', { name: words.boxes.list }).getByRole('button').first();
  await expect(entry).toContainText('8, 13, 90, 50'); // pixels of the original
  await entry.focus();
  await expect(figure.locator('div[data-active]')).toHaveCount(1);
  await expectAccessible(chat.page);
  await screenshot(chat.page, info, 'boxes');
});

test('boxes of a picture that was turned before it was read stand on the original', async ({ chat }) => {
  // Turned by a quarter: a place (x, y) of the 64x160 result is (y, 64 - x) of the original.
  const enhanced = { width: 64, height: 160, steps: ['turn'], blank: false, toOriginal: [0, 1, 0, -1, 0, 64, 0, 0, 1] };
  const picture = { width: 160, height: 64, usedWidth: 64, usedHeight: 160, tokens: 40, enhanced };
  await importAnswer(chat, '[{"bbox_2d": [0, 0, 250, 500], "label": "half"}]', { promptTokens: 9, completionTokens: 9, imageTokens: 40, cachedTokens: null, pictures: [picture] });
  await expect(chat.lastAnswer.locator('figure').getByRole('button').filter({ hasText: 'half' })).toContainText('0, 48, 80, 64');
});

test('every question says which conversation it is of, so that a balancer keeps it on one replica', async ({ chat }) => {
  const ask = async (text: string) => {
    const request = chat.page.waitForRequest('**/v1/chat/completions');
    await chat.send(text);
    return (await request).headers()['x-conversation-id'];
  };
  const id = await ask('one');
  await chat.answered(1);
  expect(id).toMatch(/^[a-z0-9]{8,64}$/);
  expect(await ask('two')).toBe(id);
  await chat.answered(2);
});

test('Markdown, tables, code and formulas are shown; nothing in an answer runs or loads', async ({ chat, words }, info) => {
  await importAnswer(
    chat,
    '**Bold** costs $5.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet a = 1;\n```\n\n\\(x^2\\)\n\n<img src=x onerror="document.title=1"><script>document.title=2</script>\n\n![remote](https://example.org/x.png) [good](https://example.org/) [bad](javascript:alert(1)) [local](/v1/models)',
  );
  await expect(chat.lastAnswer.locator('strong')).toHaveText('Bold');
  await expect(chat.lastAnswer.locator('td')).toHaveText(['1', '2']);
  await expect(chat.lastAnswer.locator('.katex').first()).toBeVisible();
  await expect(chat.button(words.common.copyCode)).toBeVisible();
  await expect(chat.lastAnswer.locator('img, script')).toHaveCount(0);
  await expect(chat.lastAnswer.getByRole('link')).toHaveCount(1);
  await expect(chat.lastAnswer.getByRole('link', { name: 'good' })).toHaveAttribute('rel', /noopener/);
  await expect(chat.lastAnswer).toContainText('$5');
  expect(await chat.page.title()).toContain('Ocelli');
  await expectAccessible(chat.page);
  await screenshot(chat.page, info, 'markdown');
});

test('history: search, rename, delete and bring back, export and import', async ({ chat, words }, info) => {
  await chat.send('first question');
  await chat.answered();
  await chat.openHistory();
  await chat.page.getByRole('button', { name: words.app.new, exact: true }).last().click();
  await chat.send('second question');
  await chat.answered();
  await chat.page.reload();
  await chat.answered();
  await chat.openHistory();
  const list = chat.page.getByRole('navigation', { name: words.history.title });
  await expect(list.getByRole('listitem')).toHaveCount(2);
  await chat.page.getByRole('searchbox').fill('FIRST');
  await expect(list.getByRole('listitem')).toHaveCount(1);
  await chat.page.getByRole('searchbox').fill('');
  const more = (title: string) => list.getByRole('button', { name: sentence(words.history.more, { title }) });
  await more('first question').click();
  await chat.page.getByRole('menuitem', { name: words.history.rename }).click();
  await chat.page.getByRole('textbox', { name: words.history.newTitle }).fill('renamed');
  await chat.page.getByRole('textbox', { name: words.history.newTitle }).press('Enter');
  await expect(list).toContainText('renamed');
  const remove = async () => {
    await more('renamed').click();
    await chat.page.getByRole('menuitem', { name: words.history.delete }).click();
    await expect(list.getByRole('listitem')).toHaveCount(1);
  };
  await remove();
  await chat.button(words.history.undo).click();
  await expect(list.getByRole('listitem')).toHaveCount(2);
  await screenshot(chat.page, info, 'history');
  const download = chat.page.waitForEvent('download');
  await chat.button(words.history.export).click();
  const file = await (await download).path();
  await remove();
  const input = chat.page.locator('input[type=file][accept*=json]');
  await input.setInputFiles({ name: 'h.json', mimeType: 'application/json', buffer: readFileSync(file) });
  await expect(list.getByRole('listitem')).toHaveCount(2);
  await expect(chat.page.getByText(sentence(words.history.imported, { added: 1, skipped: 1 }))).toBeVisible();
  await input.setInputFiles({ name: 'h.json', mimeType: 'application/json', buffer: Buffer.from('{}') });
  await expect(chat.page.getByText(sentence(words.history.notOurs, { place: 'format' }))).toBeVisible();
  await expectAccessible(chat.page);
});

test('settings: language, theme, picture size, sampling and system prompt hold over a reload', async ({ chat, words }, info) => {
  await chat.openSettings();
  await expectAccessible(chat.page);
  await screenshot(chat.page, info, 'settings');
  await chat.page.getByRole('radio', { name: new RegExp(`^${words.settings.budgets[256]}`) }).click();
  await chat.page.getByRole('textbox', { name: words.settings.fields.temperature, exact: true }).fill('0.5');
  await chat.page.getByRole('textbox', { name: words.settings.systemPrompt }).fill('Be brief.');
  await chat.page.getByText(words.settings.themes.dark, { exact: true }).click();
  await expect(chat.page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await chat.closeSettings();
  await expectAccessible(chat.page);
  await screenshot(chat.page, info, 'dark');
  await chat.page.reload();
  await expect(chat.page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  const request = chat.page.waitForRequest('**/v1/chat/completions');
  await chat.addPictures('open.png');
  await chat.send('Read the text.');
  const body = (await request).postDataJSON();
  expect(body).toMatchObject({ temperature: 0.5, messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }] });
  expect(body.messages[1].content[0].max_pixels).toBeGreaterThan(0);
  await chat.answered();
  await chat.openSettings();
  const other = chat.page.locator('html[lang=en]').first();
  const toEnglish = (await other.count()) === 0;
  await chat.page.getByText(toEnglish ? 'English' : '简体中文', { exact: true }).click();
  await expect(chat.page.locator('html')).toHaveAttribute('lang', toEnglish ? 'en' : 'zh-CN');
  await expect(chat.page.getByRole('dialog', { name: toEnglish ? 'Settings' : '设置' })).toBeVisible();
});

test('the corner says which model this is and how the server does', async ({ chat, words }) => {
  const corner = chat.page.getByRole('button', { name: new RegExp(`^${words.status.title}.*${words.status.ready}$`) });
  await corner.click();
  const details = chat.page.getByRole('dialog', { name: words.status.title });
  await expect(details).toContainText(words.status.model);
  await expect(details).toContainText(words.status.waiting);
  await expectAccessible(chat.page);
});
