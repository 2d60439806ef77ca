/** Whether a text is the whole address of something on the web, and nothing that a browser would run. */
export const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);
