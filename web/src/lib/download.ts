// Offers `content` to be saved as a file.
export function downloadFile(name: string, type: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser reads the URL after this task; a minute is ample.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

// A file name without what some system forbids.
export function safeFileName(name: string): string {
  const cleaned = name.replace(/[\\/:*?"<>|\u0000-\u001f]+/g, ' ').trim().slice(0, 60).trim();
  return cleaned || 'ocelli';
}
