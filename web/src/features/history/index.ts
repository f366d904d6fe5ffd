export { HistoryList } from './HistoryList';
export { addMessages, loadDraft, markInterrupted, newConversation, saveDraft, showVersion, sweepPictures, TAB, titleOf, updateMessage } from './store';
export { pathTo, shownPath, type ShownMessage } from './tree';
