import { iso31662 } from 'iso-3166';
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' };
import iso3166 from 'i18n-iso-countries/codes.json' with { type: 'json' };

/**
 * The catalogue of countries (ISO 3166-1) and their regions (ISO 3166-2): docs/rules/shipping.md#countries-and-regions.
 * Codes may be given in any case and come back in upper case. Lists are built at their first use and kept.
 */
export interface Country {
  readonly code: string;
  readonly name: string;
}

/** A region's code is without the country's prefix: California is `CA`. */
export interface Region {
  readonly regionCode: string;
  readonly name: string;
}

/** Where the package gives a formal or inverted name that shoppers would not look for in a list. */
const everydayCountryNames: Readonly<Record<string, string>> = {
  CD: 'Democratic Republic of the Congo',
  CG: 'Congo',
  CI: "Côte d'Ivoire",
  CN: 'China',
  CZ: 'Czechia',
  FM: 'Micronesia',
  GM: 'Gambia',
  IR: 'Iran',
  LA: 'Laos',
  MD: 'Moldova',
  MK: 'North Macedonia',
  PS: 'Palestine',
  RE: 'Réunion',
  TW: 'Taiwan',
  TZ: 'Tanzania',
};

/** ISO 3166-2 spells Japan's prefectures in a romanisation that people do not write on parcels. */
const everydayRegionNames: Readonly<Record<string, string>> = {
  'JP-01': 'Hokkaido',
  'JP-07': 'Fukushima',
  'JP-09': 'Tochigi',
  'JP-12': 'Chiba',
  'JP-13': 'Tokyo',
  'JP-17': 'Ishikawa',
  'JP-18': 'Fukui',
  'JP-19': 'Yamanashi',
  'JP-21': 'Gifu',
  'JP-22': 'Shizuoka',
  'JP-23': 'Aichi',
  'JP-25': 'Shiga',
  'JP-26': 'Kyoto',
  'JP-27': 'Osaka',
  'JP-28': 'Hyogo',
  'JP-32': 'Shimane',
  'JP-34': 'Hiroshima',
  'JP-35': 'Yamaguchi',
  'JP-36': 'Tokushima',
  'JP-39': 'Kochi',
  'JP-40': 'Fukuoka',
  'JP-44': 'Oita',
  'JP-46': 'Kagoshima',
};

/** ISO 3166-2 codes that join several nations of the United Kingdom, or all of them: not a place within it. */
const unions = new Set(['GB-EAW', 'GB-GBN', 'GB-UKM']);

/** The package lists the nations and their 200 councils side by side; a shop asks for the nation. */
const nations = new Set(['GB-ENG', 'GB-NIR', 'GB-SCT', 'GB-WLS']);

/** Addresses there name the county or province; the level above it is one of administration only. */
const countriesListedByProvince = new Set(['ES', 'IE', 'IT']);

const once = <Result>(build: () => Result): (() => Result) => {
  let built: { readonly result: Result } | undefined;
  return () => (built ??= { result: build() }).result;
};

const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name.localeCompare(b.name, 'en');

const catalogue = once(() => {
  const names: Readonly<Record<string, string | readonly string[]>> = english.countries;
  const list = Object.entries(names).map(([code, given]): Country => {
    const formal = typeof given === 'string' ? given : (given[0] ?? code);
    return { code, name: everydayCountryNames[code] ?? formal };
  });
  list.sort(byName);
  return { list, byCode: new Map(list.map((country) => [country.code, country])) };
});

/** Every country, sorted by its English name. */
export const countries = (): readonly Country[] => catalogue().list;

const findCountry = (code: string): Country | undefined => {
  const { byCode } = catalogue();
  return byCode.get(code) ?? byCode.get(code.toUpperCase());
};

/** The English name, or the code itself where there is no such country. */
export const countryName = (code: string): string => findCountry(code)?.name ?? code;

/** True for an ISO 3166-1 code of two letters (and XK, Kosovo, which the post uses too). */
export const isCountry = (code: string): boolean => findCountry(code) !== undefined;

const codesByWord = once(() => {
  const words = countries().map(({ code, name }) => [fold(name), code] as const);
  return new Map([...words, ...iso3166.map(([code = '', long = '']) => [fold(long), code] as const)]);
});

/** The country that a code of two or three letters or an English name stands for; null: none. */
export const countryCalled = (word: string): string | null =>
  findCountry(word)?.code ?? codesByWord().get(fold(word)) ?? null;

type Subdivision = (typeof iso31662)[number];

const subdivisions = once(() => {
  const byCountry = new Map<string, Subdivision[]>();
  const parents = new Set<string>();
  for (const subdivision of iso31662) {
    if (unions.has(subdivision.code)) continue;
    parents.add(subdivision.parent);
    const countryCode = subdivision.code.slice(0, 2);
    const siblings = byCountry.get(countryCode);
    if (siblings) siblings.push(subdivision);
    else byCountry.set(countryCode, [subdivision]);
  }
  return { byCountry, parents };
});

const isListed = ({ code, parent }: Subdivision, countryCode: string): boolean => {
  if (countryCode === 'GB') return nations.has(code);
  if (countriesListedByProvince.has(countryCode)) return !subdivisions().parents.has(code);
  return parent === countryCode;
};

interface CountryRegions {
  readonly listed: readonly Region[];
  /** Upper-case code to region, of every level. */
  readonly byCode: ReadonlyMap<string, Region>;
  /** Folded name to region; listed regions win over others of the same name. */
  readonly byName: ReadonlyMap<string, Region>;
}

/** Letters only matter: "Ile-de-France" finds "Île-de-France". */
const fold = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

const buildRegions = (countryCode: string): CountryRegions => {
  const listed: Region[] = [];
  const codes = new Map<string, Region>();
  const names = new Map<string, Region>();
  const remember = (name: string, region: Region): void => {
    const key = fold(name);
    if (!names.has(key)) names.set(key, region);
  };
  const entries = (subdivisions().byCountry.get(countryCode) ?? []).map((subdivision) => {
    const name = everydayRegionNames[subdivision.code] ?? subdivision.name;
    const region: Region = { regionCode: subdivision.code.slice(countryCode.length + 1), name };
    return { subdivision, region, isListed: isListed(subdivision, countryCode) };
  });
  for (const wantListed of [true, false]) {
    for (const { subdivision, region, isListed: listedHere } of entries) {
      if (listedHere !== wantListed) continue;
      if (listedHere) listed.push(region);
      codes.set(region.regionCode, region);
      remember(region.name, region);
      remember(subdivision.name, region);
    }
  }
  listed.sort(byName);
  return { listed, byCode: codes, byName: names };
};

const regionsByCountry = new Map<string, CountryRegions>();

const noRegions: CountryRegions = { listed: [], byCode: new Map(), byName: new Map() };

const regionCatalogue = (countryCode: string): CountryRegions => {
  const known = regionsByCountry.get(countryCode);
  if (known) return known;
  const country = findCountry(countryCode);
  if (!country) return noRegions;
  const built = regionsByCountry.get(country.code) ?? buildRegions(country.code);
  regionsByCountry.set(country.code, built);
  return built;
};

/**
 * The regions that a form offers for a country, sorted by name: ISO 3166-2's first level, but the four nations for the
 * United Kingdom, and counties or provinces for Ireland, Italy and Spain. Empty where the catalogue has none: there an
 * address may name any region.
 */
export const regionsOf = (countryCode: string): readonly Region[] => regionCatalogue(countryCode).listed;

/**
 * A region by its code (`CA` or `US-CA`) or else by its name; null when there is none. Regions of every level are
 * found, not only those that `regionsOf` lists: a council of England is as valid as England. Case, accents and
 * punctuation do not matter.
 */
export const findRegion = (countryCode: string, nameOrCode: string): Region | null => {
  const regions = regionCatalogue(countryCode);
  const direct = regions.byCode.get(nameOrCode);
  if (direct) return direct;
  const wanted = nameOrCode.trim().toUpperCase();
  const prefix = `${countryCode.toUpperCase()}-`;
  const code = wanted.startsWith(prefix) ? wanted.slice(prefix.length) : wanted;
  return regions.byCode.get(code) ?? regions.byName.get(fold(nameOrCode)) ?? null;
};

/** Where an address says it is. */
interface Placed {
  readonly countryCode: string;
  readonly regionCode: string | null;
  readonly countyState: string | null;
}

/**
 * The region of an address: by its code, else by the county's name or code; in a country without a catalogue as it was
 * given. Undefined where the country has none by that code.
 */
export const regionOfAddress = ({
  countryCode,
  regionCode,
  countyState,
}: Placed): string | null | undefined => {
  if (regionCode === null) return findRegion(countryCode, countyState ?? '')?.regionCode ?? null;
  return regionsOf(countryCode).length === 0 ? regionCode : findRegion(countryCode, regionCode)?.regionCode;
};
