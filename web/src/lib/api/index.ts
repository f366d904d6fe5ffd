export { makeClient } from './client';
export { isStop, toAnswerError } from './failures';
export * from './fields';
export { readJson, readText } from './read_json';
export type { UploadProgress } from './upload_fetch';
