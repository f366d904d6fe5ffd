import { UnstyledButton } from '@mantine/core';
import { IconPhotoPlus } from '@/lib/icons';
import { useTranslation } from 'react-i18next';
import { noteTrouble } from '@/lib/trouble';
import { addFiles, setText, useComposer } from './composer/store';
import { EXAMPLE_PICTURES, EXAMPLE_QUESTIONS, exampleFile } from './examples';
import classes from './chat.module.css';

// The first thing a visitor sees: what this is, two pictures to try and questions to ask.
export function Welcome({ onSend, onChoose, focusInput }: { onSend: (text: string) => void; onChoose: () => void; focusInput: () => void }) {
  const { t } = useTranslation();
  const composing = useComposer(({ pictures, text }) => pictures.length > 0 || text !== '');
  const tryExample = async (example: (typeof EXAMPLE_PICTURES)[number]) => {
    const file = await exampleFile(example).catch(() => null);
    if (!file) return noteTrouble('example');
    await addFiles([file]);
    onSend(t(`welcome.examples.${example.key}.question`));
  };
  return (
    <div className={classes.welcome}>
      <img className={classes.logo} src="./favicon.svg" alt="" width={52} height={52} />
      <h1 className={classes.greeting}>{t('welcome.title')}</h1>
      <p className={classes.intro}>{t('welcome.intro')}</p>
      {!composing && (
        <>
          <UnstyledButton className={classes.drop} onClick={onChoose}>
            <IconPhotoPlus size={26} stroke={1.6} aria-hidden />
            <span>{t('welcome.drop')}</span>
            <span className={classes.dropHint}>{t('welcome.dropHint')}</span>
          </UnstyledButton>
          <h2 className={classes.tryTitle}>{t('welcome.try')}</h2>
          <ul className={classes.examples}>
            {EXAMPLE_PICTURES.map((example) => (
              <li key={example.key}>
                <UnstyledButton className={classes.example} onClick={() => void tryExample(example)}>
                  <span className={classes.exampleFrame}>
                    <img src={example.url} alt={t(`welcome.examples.${example.key}.alt`)} />
                  </span>
                  <span className={classes.exampleQuestion}>{t(`welcome.examples.${example.key}.question`)}</span>
                </UnstyledButton>
              </li>
            ))}
          </ul>
          <ul className={classes.questions} aria-label={t('welcome.questions')}>
            {EXAMPLE_QUESTIONS.map((key) => (
              <li key={key}>
                <UnstyledButton
                  className={classes.question}
                  onClick={() => {
                    setText(t(`welcome.ask.${key}`));
                    focusInput();
                  }}
                >
                  {t(`welcome.ask.${key}`)}
                </UnstyledButton>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
