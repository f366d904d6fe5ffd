export { BoxesView } from './BoxesView';
export { parseMarks, toPixels, type Mark } from './parse';
