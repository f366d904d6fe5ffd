export { FACTS_UNKNOWN, type PictureFacts, type ServerFacts } from './facts';
export { checkSoon, useServerPolling } from './polling';
export { ServerNotice } from './ServerNotice';
export { noteSpeeds, useSpeeds } from './speeds';
export { StatusCorner } from './StatusCorner';
export { noteKeyAsked, useStatus } from './store';
