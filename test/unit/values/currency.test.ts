import { expect } from 'chai';
import { currencyOfCountry, decimalsOf, isCurrency, symbolOf } from '#values/currency.ts';
import { isCountry } from '#values/region.ts';

describe('currencies', () => {
  it('are known by their code in any case', () => {
    for (const code of ['USD', 'EUR', 'GBP', 'JPY', 'KWD', 'usd']) expect(isCurrency(code)).to.equal(true);
  });

  it('that are not in use are not accepted', () => {
    for (const code of ['', 'XXX', 'XAU', 'DEM', 'HRK', 'US', 'DOLLAR'])
      expect(isCurrency(code)).to.equal(false);
  });

  it('have no decimals where there is no smaller coin', () => {
    const codes = 'BIF CLP DJF GNF ISK JPY KMF KRW MGA PYG RWF UGX VND VUV XAF XOF XPF'.split(' ');
    for (const code of codes) {
      expect(decimalsOf(code), code).to.equal(0);
      expect(isCurrency(code), code).to.equal(true);
    }
  });

  it('have three decimals where a unit has a thousand parts', () => {
    for (const code of 'BHD IQD JOD KWD LYD OMR TND'.split(' ')) {
      expect(decimalsOf(code), code).to.equal(3);
      expect(isCurrency(code), code).to.equal(true);
    }
  });

  it('have two decimals otherwise', () => {
    for (const code of ['USD', 'EUR', 'HUF', 'TWD', 'XXX']) expect(decimalsOf(code), code).to.equal(2);
  });

  it('have the same decimals in lower case', () => {
    expect(decimalsOf('jpy')).to.equal(0);
    expect(decimalsOf('kwd')).to.equal(3);
  });

  it('show their sign where it can be told from others', () => {
    expect(['USD', 'GBP', 'EUR', 'JPY', 'CAD', 'CNY'].map(symbolOf)).to.deep.equal([
      '$',
      '£',
      '€',
      '¥',
      'CA$',
      'CN¥',
    ]);
    expect(symbolOf('gbp')).to.equal('£');
  });

  it('show their code with a no-break space otherwise', () => {
    expect(symbolOf('CHF')).to.equal('CHF\u00a0');
    expect(symbolOf('KWD')).to.equal('KWD\u00a0');
  });
});

describe('the currency of a country', () => {
  it('is the one that its shoppers pay with', () => {
    expect(currencyOfCountry('US')).to.equal('USD');
    expect(currencyOfCountry('GB')).to.equal('GBP');
    expect(currencyOfCountry('JP')).to.equal('JPY');
    expect(currencyOfCountry('KW')).to.equal('KWD');
    expect(currencyOfCountry('fr')).to.equal('EUR');
  });

  it('is the euro in the euro area, Croatia included', () => {
    const euroArea = 'AT BE CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK'.split(' ');
    for (const code of euroArea) expect(currencyOfCountry(code), code).to.equal('EUR');
  });

  it('is left to the store where none is named', () => {
    expect(currencyOfCountry('IS')).to.equal(null);
    expect(currencyOfCountry('XX')).to.equal(null);
  });

  it('is named for real countries and is a real currency', () => {
    for (let first = 65; first <= 90; first++) {
      for (let second = 65; second <= 90; second++) {
        const country = String.fromCharCode(first, second);
        const currency = currencyOfCountry(country);
        if (currency === null) continue;
        expect(isCountry(country), country).to.equal(true);
        expect(isCurrency(currency), currency).to.equal(true);
      }
    }
  });
});
