import { Chat, expect, expectAccessible, screenshot, sentence, test } from './fixtures.ts';
import { photo } from './pictures.ts';

test('a first visitor gets an answer with two actions', async ({ chat, words }, info) => {
  await expect(chat.page.getByRole('heading', { level: 1 })).toHaveText(words.welcome.title);
  for (const example of [words.welcome.examples.receipt, words.welcome.examples.shapes]) await expect(chat.page.getByAltText(example.alt)).toBeVisible();
  await expectAccessible(chat.page);
  await screenshot(chat.page, info, 'welcome');
  await chat.addPictures('open.png');
  await chat.button(words.composer.suggest.read.label).click();
  await chat.answered();
  await expect(chat.lastAnswer).toContainText('OPEN 24');
  await expect(chat.lastAnswer.getByRole('list', { name: words.answer.facts.title })).toContainText(sentence(words.answer.facts.image));
  await expect(chat.page.getByRole('list', { name: words.pictures.sent })).toContainText(sentence(words.pictures.used));
  await expectAccessible(chat.page);
  await screenshot(chat.page, info, 'answer');
});

test('an example picture is asked about with one click', async ({ chat, words }) => {
  await chat.page.getByAltText(words.welcome.examples.shapes.alt).click();
  await chat.answered();
  await expect(chat.lastAnswer).toContainText('A red circle, a blue square and a green triangle.');
});

test('several turns, another version, an edited question, and paging through versions', async ({ chat, words }) => {
  await chat.addPictures('open.png');
  await chat.send('Read the text.');
  await chat.answered(1);
  await chat.send('Read the text.');
  await chat.answered(2);
  await chat.lastAnswer.getByRole('button', { name: words.answer.regenerate }).click();
  await expect(chat.lastAnswer.getByRole('group', { name: words.message.versions })).toContainText('2/2');
  await chat.answered(2);
  await chat.lastAnswer.getByRole('button', { name: words.message.olderVersion }).click();
  await expect(chat.lastAnswer.getByRole('group', { name: words.message.versions })).toContainText('1/2');

  const question = chat.page.getByRole('article', { name: words.message.yours }).first();
  await question.hover();
  await question.getByRole('button', { name: words.message.edit }).click();
  await chat.page.getByRole('textbox', { name: words.message.editLabel }).fill('What does it say?');
  await chat.button(words.message.resend).click();
  await expect(question).toContainText('What does it say?');
  await chat.answered(1);
  await question.getByRole('button', { name: words.message.olderVersion }).click();
  await expect(question).toContainText('Read the text.');
  await expect(chat.answers).toHaveCount(2);
});

test('an answer cut by the bound goes on where it stopped', async ({ chat, words }) => {
  await chat.openSettings();
  await chat.page.getByRole('textbox', { name: words.settings.fields.max_tokens, exact: true }).fill('3');
  await chat.closeSettings();
  await chat.addPictures('open.png');
  await chat.send('Read the text.');
  await chat.answered();
  await expect(chat.lastAnswer).toContainText(words.answer.states.length);
  const before = (await chat.lastAnswer.locator('p').first().textContent()) ?? '';
  expect('OPEN 24'.startsWith(before)).toBe(true);
  await chat.openSettings();
  await chat.page.getByRole('textbox', { name: words.settings.fields.max_tokens, exact: true }).fill('64');
  await chat.closeSettings();
  await chat.button(words.answer.continue).click();
  await expect(chat.lastAnswer).toContainText('OPEN 24');
  await expect(chat.answers).toHaveCount(1);
});

test('every phase is shown while it lasts, and Stop ends each', async ({ visit, slow, words, page }, info) => {
  const chat = new Chat(await visit(slow.url), words);
  // Upload: a large photo over a thin line.
  slow.line.upBytesPerS = 600_000;
  const large = await photo(page, 'large.jpg', 3600, 2700);
  await chat.page.locator('main input[type=file]').first().setInputFiles(large);
  await chat.send('Read the text.');
  await expect(chat.lastAnswer.getByRole('progressbar', { name: words.answer.phases.uploading })).toBeVisible();
  await screenshot(chat.page, info, 'uploading');
  await chat.button(words.composer.stop).click();
  await expect(chat.lastAnswer).toContainText(words.answer.statesEmpty.stopped);
  // The other phases: each event of the server comes slowly.
  slow.line.upBytesPerS = 0;
  slow.line.eventMs = 400;
  await chat.addPictures('open.png');
  await chat.send('Read the text.');
  for (const phase of [words.answer.phases.encode, words.answer.phases.prefill]) await expect(chat.lastAnswer.getByRole('progressbar', { name: phase })).toBeVisible();
  await screenshot(chat.page, info, 'reading');
  await chat.button(words.composer.stop).click();
  await expect(chat.lastAnswer).toContainText(words.answer.statesEmpty.stopped);
  await chat.send('Read the text.');
  await expect(chat.lastAnswer).toContainText('OP');
  await screenshot(chat.page, info, 'writing');
  await chat.button(words.composer.stop).click();
  await expect(chat.lastAnswer).toContainText(words.answer.states.stopped);
  await expect(chat.button(words.answer.continue)).toBeVisible();
});

test('the keyboard is enough', async ({ chat, words }) => {
  test.skip((chat.page.viewportSize()?.width ?? 0) < 500, 'a phone has no keyboard');
  await chat.addPictures('hello.png', 'open.png');
  await expect(chat.page.getByRole('list', { name: words.pictures.strip }).getByRole('listitem')).toHaveCount(2);
  await chat.page.locator('body').press('Tab');
  await chat.page.getByRole('link', { name: words.app.skip }).focus();
  await chat.page.keyboard.press('Enter');
  await expect(chat.input).toBeFocused();
  await chat.page.keyboard.type('Line one');
  await chat.page.keyboard.press('Shift+Enter');
  await chat.page.keyboard.type('line two');
  await expect(chat.input).toHaveValue('Line one\nline two');
  await chat.page.keyboard.press('Enter');
  await chat.answered();
  await expect(chat.input).toHaveValue('');
});
