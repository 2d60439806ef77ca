import { expect } from 'chai';
import { countries, countryName, findRegion, isCountry, regionsOf } from '#values/region.ts';

const namesOf = (list: readonly { readonly name: string }[]): string[] => list.map(({ name }) => name);
const inEnglishOrder = (names: readonly string[]): string[] =>
  [...names].sort((a, b) => a.localeCompare(b, 'en'));

describe('countries', () => {
  it('are all there, once each, in the order of their English names', () => {
    const list = countries();
    expect(list).to.have.length(250);
    expect(new Set(list.map(({ code }) => code)).size).to.equal(list.length);
    expect(list.every(({ code }) => /^[A-Z]{2}$/.test(code))).to.equal(true);
    expect(namesOf(list)).to.deep.equal(inEnglishOrder(namesOf(list)));
  });

  it('have the name that people look for', () => {
    expect(countryName('GB')).to.equal('United Kingdom');
    expect(countryName('US')).to.equal('United States of America');
    expect(countryName('CN')).to.equal('China');
    expect(countryName('JP')).to.equal('Japan');
  });

  it('are known by their code in any case', () => {
    expect(isCountry('de')).to.equal(true);
    expect(countryName('de')).to.equal('Germany');
  });

  it('that do not exist are refused and keep their code as name', () => {
    expect(isCountry('XX')).to.equal(false);
    expect(isCountry('')).to.equal(false);
    expect(isCountry('GBR')).to.equal(false);
    expect(countryName('XX')).to.equal('XX');
  });

  it('are not found among the properties that every object has', () => {
    expect(isCountry('constructor')).to.equal(false);
    expect(regionsOf('__proto__')).to.deep.equal([]);
  });
});

describe('regions of a country', () => {
  it('have codes without the country and come sorted by name', () => {
    const states = regionsOf('US');
    expect(states).to.deep.include({ regionCode: 'CA', name: 'California' });
    expect(states).to.deep.include({ regionCode: 'DC', name: 'District of Columbia' });
    expect(namesOf(states)).to.deep.equal(inEnglishOrder(namesOf(states)));
    expect(regionsOf('us')).to.equal(states);
  });

  it('are the four nations in the United Kingdom', () => {
    expect(regionsOf('GB')).to.deep.equal([
      { regionCode: 'ENG', name: 'England' },
      { regionCode: 'NIR', name: 'Northern Ireland' },
      { regionCode: 'SCT', name: 'Scotland' },
      { regionCode: 'WLS', name: 'Wales' },
    ]);
  });

  it('are of the first level where the country has several', () => {
    expect(regionsOf('DE')).to.have.length(16);
    expect(namesOf(regionsOf('FR')))
      .to.include('Bretagne')
      .and.not.include('Finistère');
  });

  it('are the counties or provinces where addresses name those', () => {
    expect(regionsOf('IE')).to.deep.include({ regionCode: 'D', name: 'Dublin' });
    expect(regionsOf('IE')).to.have.length(26);
    expect(regionsOf('IT')).to.deep.include({ regionCode: 'MI', name: 'Milano' });
    expect(regionsOf('ES')).to.have.length(52);
  });

  it('are written in Japan as on a parcel', () => {
    expect(regionsOf('JP')).to.have.length(47);
    expect(regionsOf('JP')).to.deep.include({ regionCode: '13', name: 'Tokyo' });
    expect(namesOf(regionsOf('JP')).filter((name) => /[^A-Za-z]/.test(name))).to.deep.equal([]);
  });

  it('are none for a country without any and for one that does not exist', () => {
    expect(regionsOf('AI')).to.deep.equal([]);
    expect(regionsOf('XX')).to.deep.equal([]);
  });
});

describe('looking up a region', () => {
  const california = { regionCode: 'CA', name: 'California' };

  it('works by code, by full code and by name, in any case', () => {
    for (const given of ['CA', 'ca', 'US-CA', 'us-ca', 'California', ' california ']) {
      expect(findRegion('US', given)).to.deep.equal(california);
    }
    expect(findRegion('us', 'CA')).to.deep.equal(california);
  });

  it('does not mind missing accents and punctuation', () => {
    expect(findRegion('FR', 'Ile de France')?.regionCode).to.equal('IDF');
    expect(findRegion('DE', 'Thuringen')?.regionCode).to.equal('TH');
  });

  it('knows the spelling of the standard as well as that of the list', () => {
    expect(findRegion('JP', 'Tôkyô')?.regionCode).to.equal('13');
    expect(findRegion('JP', 'Hukusima')).to.deep.equal({ regionCode: '07', name: 'Fukushima' });
  });

  it('also finds regions that the list leaves out', () => {
    expect(findRegion('GB', 'LND')?.name).to.equal('London, City of');
    expect(findRegion('FR', 'Finistère')?.regionCode).to.equal('29');
    expect(findRegion('IT', 'Lombardia')?.regionCode).to.equal('25');
  });

  it('prefers a listed region to another of the same name', () => {
    expect(findRegion('ES', 'Cantabria')?.regionCode).to.equal('S');
  });

  it('finds every listed region by its code and by its name', () => {
    for (const { code } of countries()) {
      for (const region of regionsOf(code)) {
        expect(findRegion(code, region.regionCode)).to.deep.equal(region);
        expect(findRegion(code, region.name)?.name).to.equal(region.name);
      }
    }
  });

  it('finds nothing for what is not a region of that country', () => {
    expect(findRegion('US', 'Bavaria')).to.equal(null);
    expect(findRegion('US', '')).to.equal(null);
    expect(findRegion('GB', 'United Kingdom')).to.equal(null);
    expect(findRegion('XX', 'CA')).to.equal(null);
  });
});
