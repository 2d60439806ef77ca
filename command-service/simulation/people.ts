import { createChance, createLottery, seedFrom, type Weighted } from './pure-random.ts';

/** A town that shoppers come from, as an address needs it. */
export interface Town {
  readonly countryCode: string;
  readonly regionCode: string | null;
  readonly townCity: string;
  readonly postalCode: string;
}

interface Country {
  readonly firstNames: string;
  readonly lastNames: string;
  readonly streets: string;
  /** Town, postal code and, where tax or shipping depend on it, region; weighted. */
  readonly towns: Weighted<readonly [townCity: string, postalCode: string, regionCode?: string]>;
}

const english = {
  firstNames:
    'Ada Grace Mary Rosalind Dorothy Ivy Florence Alan Charles Isaac Hugh Edmund Arthur Percy Nell Maud',
  lastNames:
    'Ashby Barlow Carver Denholm Eastwood Fenwick Garland Hartley Ingram Keswick Larkin Marlow Norwood Pryor',
};
const german = {
  firstNames: 'Emmy Lise Clara Hedwig Johanna Greta Carl Anton Emil Felix Hugo Otto Ludwig Friederike',
  lastNames:
    'Albrecht Brandt Diehl Ebner Falk Gruber Hartmann Jansen Kessler Lindner Moser Reuter Vogel Winkler',
};
const french = {
  firstNames:
    'Sophie Marie Claire Juliette Odette Louise Blaise Henri Emile Jules Lucien Marcel Colette Simone',
  lastNames:
    'Arnaud Bertin Chevalier Dubois Fontaine Garnier Lambert Mercier Noir Perrin Roche Tessier Vidal',
};

const countries: Readonly<Record<string, Country>> = {
  US: {
    ...english,
    streets: 'Main Street|Oak Avenue|Ferry Road|Maple Drive|Second Avenue|Mill Lane',
    towns: [
      [['Brooklyn', '11201', 'NY'], 5],
      [['San Francisco', '94110', 'CA'], 5],
      [['Austin', '78701', 'TX'], 4],
      [['Seattle', '98101', 'WA'], 3],
      [['Chicago', '60614', 'IL'], 3],
      [['Boston', '02116', 'MA'], 3],
      [['Portland', '97209', 'OR'], 2],
    ],
  },
  GB: {
    ...english,
    streets: 'High Street|Station Road|Church Lane|Victoria Terrace|Mill Street|The Green',
    towns: [
      [['London', 'SW1Y 4JH'], 6],
      [['Bristol', 'BS1 4DJ'], 3],
      [['Manchester', 'M1 4BT'], 3],
      [['Edinburgh', 'EH1 1YZ'], 2],
      [['Leeds', 'LS1 4AP'], 2],
      [['Cardiff', 'CF10 1EP'], 1],
    ],
  },
  DE: {
    ...german,
    streets: 'Hauptstrasse|Lindenallee|Gartenweg|Bahnhofstrasse|Am Markt',
    towns: [
      [['Berlin', '10115'], 4],
      [['Hamburg', '20095'], 3],
      [['Munich', '80331'], 3],
      [['Leipzig', '04109'], 1],
    ],
  },
  FR: {
    ...french,
    streets: 'Rue de la Paix|Avenue Victor Hugo|Rue des Lilas|Place du Marche',
    towns: [
      [['Paris', '75002'], 5],
      [['Lyon', '69002'], 2],
      [['Nantes', '44000'], 1],
      [['Lille', '59000'], 1],
    ],
  },
  JP: {
    firstNames: 'Aiko Haruka Midori Sakura Yuki Akira Daichi Hiroshi Kenji Ryo Takumi Naoko',
    lastNames: 'Aoki Endo Fujita Hayashi Inoue Kimura Mori Nakano Ogawa Sasaki Takeda Ueda Wada',
    streets: 'Umekoji|Sanjo-dori|Omotesando|Dotonbori|Sakae',
    towns: [
      [['Tokyo', '150-0001'], 4],
      [['Kyoto', '604-8005'], 2],
      [['Osaka', '542-0071'], 2],
    ],
  },
  CA: {
    ...english,
    streets: 'Queen Street|Maple Avenue|Granville Street|Lakeshore Road',
    towns: [
      [['Toronto', 'M5V 2T6', 'ON'], 3],
      [['Vancouver', 'V6B 1A1', 'BC'], 2],
      [['Montreal', 'H2Y 1C6', 'QC'], 2],
    ],
  },
  NL: {
    ...german,
    streets: 'Keizersgracht|Dorpsstraat|Molenweg',
    towns: [
      [['Amsterdam', '1016 EA'], 3],
      [['Utrecht', '3511 LN'], 1],
    ],
  },
  IE: {
    ...english,
    streets: 'Main Street|Harbour Road|Abbey Street',
    towns: [
      [['Dublin', 'D02 XE80'], 3],
      [['Cork', 'T12 W8KD'], 1],
    ],
  },
  AU: {
    ...english,
    streets: 'George Street|Beach Road|Flinders Lane',
    towns: [
      [['Sydney', '2000'], 2],
      [['Melbourne', '3000'], 2],
    ],
  },
};

const shares: Weighted<string> = [
  ['US', 38],
  ['GB', 24],
  ['DE', 12],
  ['FR', 8],
  ['JP', 6],
  ['CA', 4],
  ['NL', 3],
  ['IE', 3],
  ['AU', 2],
];

/** Where shoppers come from, and how many compared with the others. */
export const towns: Weighted<Town> = shares.flatMap(([countryCode, share]) => {
  const ofCountry = countries[countryCode]?.towns ?? [];
  const sum = ofCountry.reduce((total, [, weight]) => total + weight, 0);
  return ofCountry.map(([[townCity, postalCode, regionCode], weight]) => {
    const town: Town = { countryCode, regionCode: regionCode ?? null, townCity, postalCode };
    return [town, (share * weight) / sum] as const;
  });
});

/** A shopper. */
export interface Person {
  readonly name: string;
  readonly email: string;
  readonly town: Town;
  readonly addressOne: string;
  readonly acceptsMarketing: boolean;
}

/** People by number: the same seed and number, the same person. */
export const createPeople = (
  seed: number,
  from: Weighted<Town>,
): ((kind: string, number: number) => Person) => {
  const drawTown = createLottery(from);
  return (kind, number) => {
    const chance = createChance(seedFrom(seed, kind, number));
    const town = drawTown(chance);
    const { firstNames, lastNames, streets } = countries[town.countryCode] ?? {
      ...english,
      streets: 'Main Street',
    };
    const first = chance.oneOf(firstNames.split(' '));
    const last = chance.oneOf(lastNames.split(' '));
    return {
      name: `${first} ${last}`,
      email: `${first}.${last}.${number}@example.com`.toLowerCase(),
      town,
      addressOne: `${chance.whole(1, 180)} ${chance.oneOf(streets.split('|'))}`,
      acceptsMarketing: chance.happens(0.3),
    };
  };
};
