import type { LookedUpAddress } from '#ports/address-lookup.ts';

type Row = readonly [
  id: string,
  company: string | null,
  addressOne: string,
  townCity: string,
  regionCode: string | null,
  postalCode: string,
  countryCode: string,
];

/** Public buildings around the world: enough to try a form out, or to build one. */
const rows: readonly Row[] = [
  ['at-schoenbrunn', 'Schloss Schönbrunn', 'Schönbrunner Schloßstraße 47', 'Wien', '9', '1130', 'AT'],
  ['au-opera-house', 'Sydney Opera House', 'Bennelong Point', 'Sydney', 'NSW', '2000', 'AU'],
  ['be-atomium', 'Atomium', 'Place de l’Atomium 1', 'Bruxelles', 'BRU', '1020', 'BE'],
  ['ca-cn-tower', 'CN Tower', '290 Bremner Boulevard', 'Toronto', 'ON', 'M5V 3L9', 'CA'],
  ['ch-bundeshaus', 'Bundeshaus', 'Bundesplatz 3', 'Bern', 'BE', '3005', 'CH'],
  ['de-reichstag', 'Deutscher Bundestag', 'Platz der Republik 1', 'Berlin', 'BE', '11011', 'DE'],
  ['de-deutsches-museum', 'Deutsches Museum', 'Museumsinsel 1', 'München', 'BY', '80538', 'DE'],
  ['es-prado', 'Museo del Prado', 'Calle de Ruiz de Alarcón 23', 'Madrid', 'M', '28014', 'ES'],
  ['fr-eiffel', 'Tour Eiffel', '5 Avenue Anatole France', 'Paris', 'IDF', '75007', 'FR'],
  ['fr-louvre', 'Musée du Louvre', '99 Rue de Rivoli', 'Paris', 'IDF', '75001', 'FR'],
  ['gb-10-downing-street', null, '10 Downing Street', 'London', 'ENG', 'SW1A 2AA', 'GB'],
  ['gb-11-downing-street', null, '11 Downing Street', 'London', 'ENG', 'SW1A 2AB', 'GB'],
  ['gb-british-museum', 'British Museum', 'Great Russell Street', 'London', 'ENG', 'WC1B 3DG', 'GB'],
  ['gb-hull-museums', 'The Deep', 'Tower Street', 'Hull', 'ENG', 'HU1 4DP', 'GB'],
  ['gb-edinburgh-castle', 'Edinburgh Castle', 'Castlehill', 'Edinburgh', 'SCT', 'EH1 2NG', 'GB'],
  ['gb-cardiff-castle', 'Cardiff Castle', 'Castle Street', 'Cardiff', 'WLS', 'CF10 3RB', 'GB'],
  ['gb-titanic-belfast', 'Titanic Belfast', '1 Olympic Way', 'Belfast', 'NIR', 'BT3 9EP', 'GB'],
  ['ie-trinity', 'Trinity College', 'College Green', 'Dublin', 'D', 'D02 PN40', 'IE'],
  ['it-colosseo', 'Colosseo', 'Piazza del Colosseo 1', 'Roma', 'RM', '00184', 'IT'],
  ['jp-tokyo-tower', 'Tokyo Tower', '4-2-8 Shibakoen, Minato-ku', 'Tokyo', '13', '105-0011', 'JP'],
  ['nl-rijksmuseum', 'Rijksmuseum', 'Museumstraat 1', 'Amsterdam', 'NH', '1071 XX', 'NL'],
  ['nz-beehive', 'Parliament Buildings', 'Molesworth Street', 'Wellington', 'WGN', '6011', 'NZ'],
  ['pt-belem', 'Torre de Belém', 'Avenida Brasília', 'Lisboa', '11', '1400-038', 'PT'],
  ['se-vasa', 'Vasamuseet', 'Galärvarvsvägen 14', 'Stockholm', 'AB', '115 21', 'SE'],
  ['us-white-house', 'The White House', '1600 Pennsylvania Avenue NW', 'Washington', 'DC', '20500', 'US'],
  ['us-empire-state', 'Empire State Building', '20 West 34th Street', 'New York', 'NY', '10001', 'US'],
  ['us-alcatraz-ferry', 'Pier 33', '1 The Embarcadero', 'San Francisco', 'CA', '94111', 'US'],
  ['us-space-needle', 'Space Needle', '400 Broad Street', 'Seattle', 'WA', '98109', 'US'],
];

/** The addresses that the built-in lookup knows, by their ids. */
export const knownAddresses: ReadonlyMap<string, LookedUpAddress> = new Map(
  rows.map(([id, company, addressOne, townCity, regionCode, postalCode, countryCode]) => [
    id,
    {
      company,
      addressOne,
      addressTwo: null,
      townCity,
      countyState: null,
      regionCode,
      postalCode,
      countryCode,
    },
  ]),
);
