import { describe, expect, it } from 'vitest';
import { hasMath, normaliseMath } from './math';

describe('normaliseMath', () => {
  it('reads every way to write a formula', () => {
    expect(normaliseMath('so \\(a+b\\) is')).toBe('so $$a+b$$ is');
    expect(normaliseMath('so $E=mc^2$ is')).toBe('so $$E=mc^2$$ is');
    expect(normaliseMath('\\[\nx\n\\]')).toBe('\n$$\nx\n$$\n');
    expect(normaliseMath('$$x$$')).toBe('$$\nx\n$$');
    expect(normaliseMath('so $$x$$ is')).toBe('so $$x$$ is');
  });

  it('leaves prices alone', () => {
    for (const text of ['$5 and $10', 'Total $5, tax $3', 'US$5 or HK$6', '$5/$10', '$ 5 $', 'costs \\$5']) {
      expect(hasMath(normaliseMath(text))).toBe(false);
    }
  });

  it('leaves code alone', () => {
    expect(normaliseMath('`$a$` and ```\n$b$\n```')).toContain('`$a$`');
    expect(normaliseMath('```sh\necho $HOME $PATH$\n```')).toBe('```sh\necho $HOME $PATH$\n```');
  });
});
