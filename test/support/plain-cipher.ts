import type { PersonalTexts } from '#log/personal-texts.ts';
/** Keeps texts as they are, where a test does not look at how they are kept. */
export const plainCipher = { seal: (text: string): string => text, open: (text: string): string => text };

/** Texts of nobody, in clear. */
export const plainTexts: Pick<PersonalTexts, 'sealFor' | 'sealForShop' | 'open'> = {
  sealFor: async (_, text) => text,
  sealForShop: (text) => text,
  open: async (text) => text,
};
