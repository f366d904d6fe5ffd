const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 15_000;

// Loads a part of the page, however often the server is away meanwhile: a part that is missing must
// not take the rest of the page with it.
export async function patiently<T>(load: () => Promise<T>): Promise<T> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
