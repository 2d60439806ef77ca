const MAX_LENGTH = 250;
const shape = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** something@something.tld, without spaces. */
export const isEmail = (text: string): boolean => text.length <= MAX_LENGTH && shape.test(text);

/** As e-mail addresses are kept and compared. */
export const normalEmail = (text: string): string => text.trim().toLowerCase();
