import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { en } from './en';
import { zhCN } from './zh_cn';

export const LANGUAGES = ['zh-CN', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

// The first language of `wishes` that we have: Chinese of any kind, otherwise English.
export function preferredLanguage(wishes: readonly string[]): Language {
  const first = wishes.find((wish) => /^(zh|en)\b/i.test(wish));
  return first && /^zh/i.test(first) ? 'zh-CN' : 'en';
}

// Starts translation. Both languages are part of the program: they are small, and switching is
// immediate.
export function startI18n(language: Language): void {
  void i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: 'en',
    resources: { 'zh-CN': { translation: zhCN }, en: { translation: en } },
    interpolation: { escapeValue: false }, // React escapes
    returnNull: false,
    initAsync: false,
    showSupportNotice: false,
  });
  document.documentElement.lang = language;
}

export function changeLanguage(language: Language): void {
  document.documentElement.lang = language;
  void i18next.changeLanguage(language);
}
