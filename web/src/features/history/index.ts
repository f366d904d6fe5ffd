export { HistoryList } from './HistoryList';
export { addMessages, createConversation, loadDraft, markInterrupted, saveDraft, showVersion, sweepPictures, TAB, titleOf, updateMessage } from './store';
export { pathTo, shownPath, type ShownMessage } from './tree';
