export { runningAnswers, saveEverything, useLive } from './answer/run';
export { ChatView } from './ChatView';
