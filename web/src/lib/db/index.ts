export type { OcelliDatabase } from './database';
export { isQuotaError, openDatabase } from './open';
export * from './records';
export { useLiveQuery } from './use_live_query';
