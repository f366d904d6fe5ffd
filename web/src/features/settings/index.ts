export type { BudgetFacts } from './PictureBudget';
export { cleanSampling, type Sampling } from './sampling';
export { SettingsDialog } from './SettingsDialog';
export { changeSettings, useSettings, type Settings } from './store';
