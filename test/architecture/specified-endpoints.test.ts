import { expect } from 'chai';
import type { Route } from '#http/route.ts';
import { pathsOf } from '#http/route-tree.ts';
import { TestShop } from '#test/support/shop.ts';
import { endpointsToCome } from './endpoints-to-come.ts';
import { specifiedEndpoints } from './specified-endpoints.ts';

/** The same whatever the parameters are called. */
const keyOf = (endpoint: string): string => endpoint.replace(/\{[^}]+\}/g, '{}');

const keysOf = ({ method, ...route }: Route): readonly string[] =>
  pathsOf({ method, ...route }).map((path) => keyOf(`${method} ${path}`));

const twice = (keys: readonly string[]): readonly string[] =>
  keys.filter((key, index) => keys.indexOf(key) !== index);

/** What is still to come: this number goes down with every one that is built. */
const MISSING = 7;

/** For whoever runs a shop, and for its tests. */
const beside =
  /^(GET|POST) (\/|\/health(\/(live|ready))?|\/metrics|\/openapi\.json|\/reference(\/endpoints)?|\/testing\/.+)$/;

describe('The specified endpoints', () => {
  const specified = Object.values(specifiedEndpoints).flat();
  let all: readonly string[];
  before(async () => {
    const shop = await TestShop.open({
      environment: {
        Protocol__Ucp__TestEndpoints__Enabled: 'true',
        Protocol__Ucp__TestEndpoints__SimulationSecret: 'secret',
      },
    });
    all = shop.shop.routes.flatMap(keysOf);
    await shop.close();
  });
  const isMounted = (endpoint: string): boolean => all.includes(keyOf(endpoint));

  it('are mounted, or on the list of those to come', () => {
    const missing = specified.filter((one) => !isMounted(one) && !endpointsToCome.includes(one));
    expect(missing, 'endpoints that nobody mounts any more').to.deep.equal([]);
  });

  it('leave that list once they are mounted', () => {
    expect(endpointsToCome.filter(isMounted)).to.deep.equal([]);
    expect(endpointsToCome, 'it may only shrink').to.have.length(MISSING);
    expect(endpointsToCome.filter((one) => !specified.includes(one))).to.deep.equal([]);
  });

  it('are all that there is, beside what runs the shop and its tests', () => {
    const known = new Set(specified.map(keyOf));
    // The backoffice answers under its other address as well.
    const others = all.filter(
      (one) => !known.has(one) && !known.has(one.replace(' /api/v1', ' /backoffice/api/v1')),
    );
    expect(others.filter((one) => !beside.test(one))).to.deep.equal([]);
  });

  it('are mounted, listed and named once', () => {
    expect(twice(all), 'mounted').to.deep.equal([]);
    expect(twice(endpointsToCome.map(keyOf)), 'listed').to.deep.equal([]);
    expect(twice(specified.map(keyOf)), 'named').to.deep.equal([]);
  });
});
