const MAX_TEXTS = 10_000;

/**
 * Returns an equal text that is there already, if there is one: what was read from JSON has a copy of its own of every
 * id that it names, and a hundred thousand variants name the same few warehouses.
 */
export const createTextPool = (): ((text: string) => string) => {
  const texts = new Map<string, string>();
  return (text) => {
    const known = texts.get(text);
    if (known !== undefined) return known;
    if (texts.size >= MAX_TEXTS) texts.clear();
    texts.set(text, text);
    return text;
  };
};
