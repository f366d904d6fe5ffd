export { BoxesView } from './BoxesView';
export { placeMarks } from './place';
export { parseMarks, toPixels, type Mark } from './parse';
