import { expect, expectAccessible, screenshot, sentence, test } from './fixtures.ts';
import { breakStorage, mendStorage, noStorage } from './storage.ts';

// The browser's own storage is full, broken, missing, or shared with another tab.

test('a full browser says so, keeps what was written, and the question goes when there is room', async ({ chat, words }, info) => {
  await chat.addPictures('open.png');
  await expect(chat.page.getByRole('list', { name: words.pictures.strip }).getByRole('listitem')).toHaveCount(1);
  await breakStorage(chat.page, 'QuotaExceededError');
  await chat.send('Read the text.');
  await expect(chat.page.getByRole('alert').filter({ hasText: words.errors.trouble.actionFull })).toBeVisible();
  await expect(chat.input).toHaveValue('Read the text.');
  await expect(chat.page.getByRole('list', { name: words.pictures.strip }).getByRole('listitem')).toHaveCount(1);
  await expectAccessible(chat.page);
  await screenshot(chat.page, info, 'storage-full');
  await chat.openHistory();
  await expect(chat.page.getByText(words.history.empty)).toBeVisible(); // no chat without its question
  await chat.closeHistory();
  await chat.addPictures('hello.png');
  await expect(chat.page.getByRole('alert').filter({ hasText: sentence(words.pictures.refusals.storage, { name: 'hello.png' }) })).toBeVisible();
  await mendStorage(chat.page);
  await chat.input.press('Enter');
  await expect(chat.lastAnswer).toContainText('OPEN 24');
  await expect(chat.page.getByText(words.errors.trouble.actionFull)).toHaveCount(0);
});

test('when nothing can be kept, every action says so and changes nothing', async ({ chat, words }) => {
  await chat.send('first');
  await chat.answered();
  await breakStorage(chat.page, 'UnknownError');
  const said = chat.page.getByRole('alert').filter({ hasText: words.errors.trouble.action });
  const refused = async () => {
    await expect(said).toBeVisible();
    await said.getByRole('button', { name: words.common.dismiss }).click();
    await expect(said).toHaveCount(0);
    await expect(chat.answers).toHaveCount(1);
  };
  await chat.lastAnswer.getByRole('button', { name: words.answer.regenerate }).click();
  await refused();
  const question = chat.page.getByRole('article', { name: words.message.yours });
  await question.hover();
  await question.getByRole('button', { name: words.message.edit }).click();
  const editor = chat.page.getByRole('textbox', { name: words.message.editLabel });
  await editor.fill('changed');
  await chat.button(words.message.resend).click();
  await refused();
  await expect(editor).toHaveValue('changed');
  await chat.send('second');
  await refused();
  await expect(chat.input).toHaveValue('second');
  await mendStorage(chat.page);
  await chat.button(words.message.resend).click();
  await expect(question).toContainText('changed');
  await chat.answered();
});

test('a browser that keeps nothing says so and loses no words', async ({ page, visit, program, words, chatAt }) => {
  await noStorage(page);
  await visit(program.url);
  const chat = chatAt(page);
  await expect(page.getByRole('alert').filter({ hasText: words.errors.trouble.unread })).toBeVisible();
  await chat.addPictures('open.png');
  await expect(page.getByRole('alert').filter({ hasText: sentence(words.pictures.refusals.notKept, { name: 'open.png' }) })).toBeVisible();
  await chat.send('hello');
  await expect(page.getByRole('alert').filter({ hasText: words.errors.trouble.action })).toBeVisible();
  await expect(chat.input).toHaveValue('hello');
});

test('two tabs on the same history see each other’s changes', async ({ slow, visit, words, page, context, chatAt }) => {
  await visit(slow.url);
  const first = chatAt(page);
  const other = chatAt(await context.newPage());
  await other.page.goto(slow.url);
  await other.openHistory();
  await expect(other.page.getByText(words.history.empty)).toBeVisible();
  slow.line.eventMs = 300;
  await first.addPictures('open.png');
  await first.send('Read the text.');
  await other.page.getByRole('navigation', { name: words.history.title }).getByRole('button', { name: 'Read the text.', exact: true }).click();
  await expect(other.lastAnswer).toContainText(words.answer.elsewhere);
  await expect(other.lastAnswer).toContainText('OP');
  slow.line.eventMs = 0;
  await expect(first.lastAnswer).toContainText('OPEN 24');
  await expect(other.lastAnswer).toContainText('OPEN 24');
  await expect(other.lastAnswer).not.toContainText(words.answer.elsewhere);
  // And the other way round: a new name, and a second question.
  await other.openHistory();
  const list = other.page.getByRole('navigation', { name: words.history.title });
  await list.getByRole('button', { name: sentence(words.history.more, { title: 'Read the text.' }) }).click();
  await other.page.getByRole('menuitem', { name: words.history.rename }).click();
  await other.page.getByRole('textbox', { name: words.history.newTitle }).fill('sign');
  await other.page.getByRole('textbox', { name: words.history.newTitle }).press('Enter');
  await other.closeHistory();
  await other.send('Once more.');
  await expect(first.answers).toHaveCount(2);
  await first.openHistory();
  await expect(page.getByRole('navigation', { name: words.history.title })).toContainText('sign');
});
