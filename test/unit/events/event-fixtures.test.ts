import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { eventDefinition, eventDefinitions } from '#events/registry.ts';
import { upcast } from '#events/upcasters.ts';

/** `<Type>.v<version>.json`: the data of an event as some release wrote it, in clear. Never changed, only added to. */
const folder = new URL('../../support/fixtures/events/', import.meta.url);

const fixtures = readdirSync(folder).map((file) => {
  const [type = '', version = ''] = file.replace(/\.json$/, '').split('.v');
  const data: unknown = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
  return { file, type, version: Number(version), data };
});

describe('events written by any release', () => {
  for (const { type, schemaVersion } of eventDefinitions()) {
    it(`${type} is known in every version up to ${schemaVersion}`, () => {
      const versions = fixtures.filter((fixture) => fixture.type === type).map(({ version }) => version);
      expect(versions.sort()).to.deep.equal(Array.from({ length: schemaVersion }, (_, index) => index + 1));
    });
  }

  for (const { file, type, version, data } of fixtures) {
    it(`${file} reads as today's schema has it`, () => {
      const definition = eventDefinition(type);
      const lifted = upcast(type, data, version, definition?.schemaVersion ?? version);
      expect(definition?.schema.parse(lifted)).to.deep.equal(lifted);
    });
  }
});
