import { readFileSync } from 'node:fs';
import { EXAMPLES, expect, expectAccessible, screenshot, sentence, test } from './fixtures.ts';
import { cut, damaged, heic, pdf, photo, sideways } from './pictures.ts';
import { Program } from './program.ts';

const upload = (name: string) => ({ name, mimeType: 'image/png', buffer: readFileSync(`${EXAMPLES}${name}`) });

test('five pictures are shown in order, moved, removed and enlarged, and all are used', async ({ chat, words }, info) => {
  const input = chat.page.locator('main input[type=file]').first();
  await input.setInputFiles(['open.png', 'hello.png', 'open.png', 'hello.png', 'open.png'].map((name, index) => ({ ...upload(name), name: `${index + 1}-${name}` })));
  const strip = chat.page.getByRole('list', { name: words.pictures.strip });
  await expect(strip.getByRole('listitem')).toHaveCount(5);
  const names = () => strip.getByRole('listitem').allTextContents();
  const label = (n: number, name: string) => words.pictures.nth.replace('{{n}}', String(n)).replace('{{name}}', name);
  const tool = (template: string, n: number, name: string) => chat.button(template.replace('{{picture}}', label(n, name)));
  await tool(words.pictures.moveRight, 1, '1-open.png').click();
  await expect(async () => expect((await names())[1]).toContain('1-open.png')).toPass();
  await tool(words.pictures.remove, 1, '2-hello.png').click();
  await expect(strip.getByRole('listitem')).toHaveCount(4);
  await screenshot(chat.page, info, 'composing');
  await tool(words.pictures.enlarge, 1, '1-open.png').click();
  const viewer = chat.page.getByRole('dialog', { name: words.pictures.viewer });
  await expect(viewer.getByRole('img', { name: '1-open.png' })).toBeVisible();
  await chat.page.keyboard.press('+');
  await expect(viewer.locator('[data-zoomed]')).toBeVisible();
  await chat.page.keyboard.press('0');
  await expect(viewer.locator('[data-zoomed]')).toHaveCount(0);
  await viewer.getByRole('button', { name: words.pictures.next }).click();
  await expect(viewer.getByRole('img', { name: '3-open.png' })).toBeVisible();
  await expectAccessible(chat.page);
  await chat.page.keyboard.press('Escape');
  await chat.send('Read the text.');
  await chat.answered();
  await expect(chat.page.getByRole('list', { name: words.pictures.sent }).getByText(sentence(words.pictures.used))).toHaveCount(4);
});

test('pictures are pasted and dropped anywhere', async ({ chat, words }) => {
  const give = (kind: 'paste' | 'drop') =>
    chat.page.evaluate(
      ([type, base64]) => {
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
        const data = new DataTransfer();
        data.items.add(new File([bytes], `${type}.png`, { type: 'image/png' }));
        const target = document.querySelector('main') ?? document.body;
        if (type === 'paste') target.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
        else for (const name of ['dragenter', 'dragover', 'drop']) (document.querySelector('.mantine-Dropzone-root') ?? target).dispatchEvent(new DragEvent(name, { dataTransfer: data, bubbles: true, cancelable: true }));
      },
      [kind, readFileSync(`${EXAMPLES}open.png`).toString('base64')] as const,
    );
  const items = chat.page.getByRole('list', { name: words.pictures.strip }).getByRole('listitem');
  await give('paste');
  await expect(items).toHaveCount(1);
  await give('drop');
  await expect(items).toHaveCount(2);
});

test('what is no readable picture is refused with a sentence before sending', async ({ chat, words }, info) => {
  await chat.addPictures(pdf, damaged);
  const alert = chat.page.getByRole('alert').filter({ hasText: pdf.name });
  await expect(alert).toContainText(sentence(words.pictures.refusals.kind.pdf, { name: pdf.name }));
  await expect(alert).toContainText(sentence(words.pictures.refusals.unreadable, { name: damaged.name }));
  await expect(chat.page.getByRole('list', { name: words.pictures.strip })).toHaveCount(0);
  await screenshot(chat.page, info, 'refused');
});

test('a kind that the browser cannot show is sent as it is, and the server says what is wrong with it', async ({ chat, words }, info) => {
  await chat.addPictures(heic);
  await expect(chat.page.getByRole('list', { name: words.pictures.strip })).toContainText(sentence(words.pictures.noPreview, { kind: 'HEIC' }));
  await chat.send('Read the text.');
  await chat.answered();
  const error = chat.lastAnswer.getByRole('group', { name: words.errors.title });
  await expect(error).toContainText(words.errors.refused);
  await expect(error).toContainText('messages[0].content[0]');
  await screenshot(chat.page, info, 'unreadable');
});

test('a picture that was cut is refused by the server, which names it', async ({ chat, words }) => {
  await chat.addPictures(cut);
  await chat.send('Read the text.');
  await chat.answered();
  await expect(chat.lastAnswer.getByRole('group', { name: words.errors.title })).toContainText('messages[0].content[0]');
});

test('a photo is upright, and is shrunk only when asked', async ({ chat, words, page }) => {
  const large = sideways(await photo(page, 'photo.jpg', 2400, 1800));
  await chat.addPictures(large);
  const strip = chat.page.getByRole('list', { name: words.pictures.strip });
  await expect(strip).toContainText('1800×2400'); // as it was held
  await strip.getByRole('button', { name: words.pictures.shrink }).click();
  await expect(strip).toContainText('1536×2048');
  await strip.getByRole('button', { name: words.pictures.unshrink }).click();
  await expect(strip).toContainText('1800×2400');
  await chat.send('Read the text.');
  await chat.answered();
  await expect(chat.page.getByRole('list', { name: words.pictures.sent })).toContainText('1800×2400');
});

test('what is being composed survives a reload', async ({ chat, words }) => {
  await chat.addPictures('open.png');
  await chat.input.fill('half a question');
  await expect(chat.page.getByRole('list', { name: words.pictures.strip }).getByRole('listitem')).toHaveCount(1);
  await chat.page.waitForTimeout(500); // drafts are kept a moment after the last key
  await chat.page.reload();
  await expect(chat.input).toHaveValue('half a question');
  await expect(chat.page.getByRole('list', { name: words.pictures.strip }).getByRole('listitem')).toHaveCount(1);
});

test('thumbnails are put in another order with the mouse and with the keyboard', async ({ chat, words }) => {
  const files = ['a.png', 'b.png', 'c.png'].map((name) => ({ ...upload('open.png'), name }));
  await chat.page.locator('main input[type=file]').first().setInputFiles(files);
  const items = chat.page.getByRole('list', { name: words.pictures.strip }).getByRole('listitem');
  await expect(items).toHaveCount(3);
  const order = async () => (await items.allTextContents()).map((text) => /[abc]\.png/.exec(text)?.[0].charAt(0)).join('');
  // A finger scrolls the row instead; on a phone the buttons are the way.
  const mouse = (chat.page.viewportSize()?.width ?? 0) > 500;
  if (mouse) await items.nth(0).dragTo(items.nth(2));
  await expect(async () => expect(await order()).toBe(mouse ? 'bca' : 'abc')).toPass();
  const label = words.pictures.nth.replace('{{n}}', '1').replace('{{name}}', mouse ? 'b.png' : 'a.png');
  await chat.button(words.pictures.moveRight.replace('{{picture}}', label)).focus();
  await chat.page.keyboard.press('Enter');
  await expect(async () => expect(await order()).toBe(mouse ? 'cba' : 'bac')).toPass();
  await chat.page.keyboard.press('Enter'); // the focus went with the picture
  await expect(async () => expect(await order()).toBe(mouse ? 'cab' : 'bca')).toPass();
});

test('a phone offers its camera, and a photo is a picture', async ({ chat, words }) => {
  const camera = chat.page.locator('input[type=file][capture=environment]');
  test.skip((chat.page.viewportSize()?.width ?? 0) > 500, 'a wide screen has no camera to hold');
  await expect(chat.button(words.composer.photograph)).toBeVisible();
  await camera.setInputFiles(await photo(chat.page, 'image.jpg', 800, 600));
  await expect(chat.page.getByRole('list', { name: words.pictures.strip })).toContainText('800×600');
});

test('pictures that are too much together are not sent; shrinking helps', async ({ visit, words, page, chatAt }, info) => {
  const program = await Program.start('--max-body', '12M');
  try {
    const chat = chatAt(await visit(program.url));
    await chat.page.locator('main input[type=file]').first().setInputFiles([await photo(page, 'one.jpg', 3600, 2700), await photo(page, 'two.jpg', 3600, 2700)]);
    const notice = chat.page.getByRole('alert').filter({ hasText: sentence(words.pictures.tooMuch) });
    await expect(notice).toBeVisible();
    await chat.input.fill('Read the text.');
    await expect(chat.button(words.composer.send)).toBeDisabled();
    await screenshot(chat.page, info, 'too-much');
    await notice.getByRole('button', { name: words.pictures.shrinkAll }).click();
    await expect(notice).toHaveCount(0);
  } finally {
    await program.kill();
  }
});
