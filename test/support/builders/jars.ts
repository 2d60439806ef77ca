import { projection, remove, type Document } from '#kernel/projection.ts';

/** Jars of coins: a view with a figure that anybody can work out. */
export interface Jar extends Document {
  readonly coins: number;
}

interface Dropped {
  readonly type: 'CoinsDropped';
  readonly data: { readonly jar: string; readonly coins: number };
}
interface Smashed {
  readonly type: 'JarSmashed';
  readonly data: { readonly jar: string };
}

const TOO_HEAVY = 1000;

export const jars = projection<Dropped | Smashed>()<Jar>({
  name: 'jars',
  version: 1,
  indexes: [],
  keys: ({ data }) => [data.jar],
  on: {
    CoinsDropped: (jar, { data: { coins } }, key) => {
      if (coins > TOO_HEAVY) throw new Error('too heavy');
      return { _id: key, coins: (jar?.coins ?? 0) + coins };
    },
    JarSmashed: () => remove,
  },
});

export const jarStream = (jar: string): string => `jar-${jar}`;

export const dropped = (jar: string, coins: number) => ({
  ...({ type: 'CoinsDropped', data: { jar, coins } } as const),
  stream: jarStream(jar),
});

export const smashed = (jar: string) => ({
  ...({ type: 'JarSmashed', data: { jar } } as const),
  stream: jarStream(jar),
});
