export { OcrResultView } from './OcrResultView';
export { OCR_IMAGE_TOKENS, OCR_MAX_TOKENS, OCR_PROMPT, OCR_SAMPLING, ocrQuestion } from './prompt';
