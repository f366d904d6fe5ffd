import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test as base, type Page, type TestInfo } from '@playwright/test';
import { en } from '../../web/src/i18n/en.ts';
import { zhCN } from '../../web/src/i18n/zh_cn.ts';
import { Program, SlowLine } from './program.ts';

// What every test of the page has: the program, the page's words in its language, and a page that
// fails the test for any console error, any request elsewhere and any script error.

export const EXAMPLES = new URL('../../examples/', import.meta.url).pathname;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface Fixtures {
  words: typeof zhCN;
  visit: (url: string) => Promise<Page>;
  chat: Chat;
  chatAt: (page: Page) => Chat; // of a page that was opened otherwise
  slow: { url: string; line: SlowLine['line']; program: Program; die: () => Promise<void> };
}

export const test = base.extend<Fixtures, { program: Program }>({
  program: [
    // eslint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const program = await Program.start();
      await use(program);
      await program.kill();
    },
    { scope: 'worker' },
  ],
  words: async ({ locale }, use) => use(locale === 'zh-CN' ? zhCN : en),
  visit: async ({ page }, use) => {
    const faults = watch(page);
    await use(async (url) => {
      await page.goto(url);
      await expect(page).toHaveTitle('AI 多模态视觉理解助手 · Ocelli');
      return page;
    });
    expect(faults).toEqual([]);
  },
  chat: async ({ visit, program, words }, use) => use(new Chat(await visit(program.url), words)),
  chatAt: async ({ words }, use) => use((page) => new Chat(page, words)),
  slow: async ({ program }, use) => {
    const line = new SlowLine(program);
    const die = async () => {
      await program.kill();
      line.drop(); // what the program had already said would still come through
    };
    await use({ url: await line.start(), line: line.line, program, die });
    line.stop();
  },
});

// Everything that a page must not do. The browser itself reports refused and lost requests on the
// console; those are what some tests are about.
function watch(page: Page): string[] {
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (!['blob:', 'data:'].includes(url.protocol) && url.hostname !== '127.0.0.1') faults.push(`request elsewhere: ${url.href}`);
  });
  return faults;
}

// The page as a user handles it.
export class Chat {
  constructor(
    readonly page: Page,
    readonly words: typeof zhCN,
  ) {}

  get input() {
    return this.page.getByRole('textbox', { name: this.words.composer.question, exact: true });
  }
  get answers() {
    return this.page.getByRole('article', { name: this.words.message.answer, exact: true });
  }
  get lastAnswer() {
    return this.answers.last();
  }
  button(name: string) {
    return this.page.getByRole('button', { name, exact: true });
  }

  async addPictures(...files: (string | { name: string; mimeType: string; buffer: Buffer })[]): Promise<void> {
    const paths = files.map((file) => (typeof file === 'string' ? `${EXAMPLES}${file}` : file));
    // All files of one call are either paths or buffers, as the chooser takes them.
    await this.page.locator('main input[type=file]').first().setInputFiles(paths as string[]);
  }

  async send(text: string): Promise<void> {
    await this.input.fill(text);
    await this.input.press('Enter');
  }

  async answered(count = 1): Promise<void> {
    await expect(this.answers).toHaveCount(count);
    await expect(this.lastAnswer).toHaveAttribute('aria-busy', 'false');
  }

  async openHistory(): Promise<void> {
    const search = this.page.getByRole('searchbox', { name: this.words.history.search });
    if (!(await search.isVisible())) await this.button(this.words.app.history).click();
    await expect(search).toBeVisible();
  }

  async closeHistory(): Promise<void> {
    const close = this.page.getByRole('dialog').getByRole('button', { name: this.words.common.close });
    if (await close.isVisible()) await close.click();
  }

  async openSettings(): Promise<void> {
    await this.button(this.words.settings.title).click();
    await expect(this.page.getByRole('dialog', { name: this.words.settings.title })).toBeVisible();
  }

  async closeSettings(): Promise<void> {
    await this.page.getByRole('dialog', { name: this.words.settings.title }).getByRole('button', { name: this.words.common.close }).click();
    await expect(this.page.getByRole('dialog')).toHaveCount(0);
  }
}

// Fails for accessibility faults that axe calls serious or critical.
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(AXE);
  const faults = await page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: { run: (context: Document, options: object) => Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> } }).axe.run(document, { resultTypes: ['violations'] });
    return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
  });
  expect(faults).toEqual([]);
}

// Keeps a picture of the state in build/e2e, for people.
export async function screenshot(page: Page, info: TestInfo, name: string): Promise<void> {
  await page.screenshot({ path: new URL(`../../build/e2e/${info.project.name}/${name}.png`, import.meta.url).pathname, animations: 'disabled' });
}

// The values of a sentence of the dictionary are left open.
export function sentence(template: string, values: Record<string, string | number> = {}): RegExp {
  const escaped = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(escaped.replace(/\{\{(\w+)\}\}/g, (_, key: string) => (key in values ? String(values[key]).replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : '.+')));
}

export { expect };
