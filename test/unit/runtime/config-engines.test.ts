import { expect } from 'chai';
import { InvalidConfiguration, loadConfig, type ConfigSource } from '#runtime/config.ts';
import { withoutPassword } from '#runtime/config-engines.ts';

const enginesOf = (env: ConfigSource['env'], source: ConfigSource = {}) =>
  loadConfig({ env: env ?? {}, ...source }).engines;

const problemsOf = (source: ConfigSource): readonly string[] => {
  try {
    loadConfig(source);
  } catch (error) {
    if (error instanceof InvalidConfiguration) return error.problems;
    throw error;
  }
  return [];
};

const mongo = 'mongodb://ada:s3cret@db1:27017,db2:27017/tea?replicaSet=rs0';

const servers = {
  EVENT_STORE: 'esdb+discover://log:2113',
  READ_STORE: mongo,
  BUS: 'kafka://k1:9092,k2:9092',
};

const shared = {
  APPLICATION_KEY: Buffer.alloc(32, 1).toString('base64'),
  BACKOFFICE_API_KEY: 'a-key-that-all-services-share',
  PUBLIC_BASE_URL: 'https://shop.example',
};

describe('The engines of the configuration', () => {
  it('are chosen one by one', () => {
    expect(enginesOf({ ...servers, STATE_STORE: 'mongodb+srv://db/other' })).to.deep.equal({
      events: { kind: 'eventstoredb', address: 'esdb+discover://log:2113' },
      read: { kind: 'mongodb', address: mongo },
      state: { kind: 'mongodb', address: 'mongodb+srv://db/other' },
      bus: { kind: 'kafka', address: 'kafka://k1:9092,k2:9092' },
    });
    const mixed = enginesOf({ EVENT_STORE: 'sqlite:/srv/log.db', BUS: 'kafka+ssl://k:9093' });
    expect(mixed.events).to.deep.equal({ kind: 'sqlite', file: '/srv/log.db' });
    expect(mixed.bus).to.deep.equal({ kind: 'kafka', address: 'kafka+ssl://k:9093' });
  });

  it('keep the state store beside the read store, and with a log that outlives the process', () => {
    const stateOf = (env: ConfigSource['env']) => enginesOf(env).state;
    expect(stateOf({ READ_STORE: 'sqlite:/srv/read/r.db' })).to.include({ file: '/srv/read/state.db' });
    expect(stateOf({ READ_STORE: 'memory:', DATA_DIR: '/srv' })).to.include({ file: '/srv/state.db' });
    expect(stateOf({ EVENT_STORE: 'memory:' })).to.deep.equal({ kind: 'memory' });
    expect(stateOf({ READ_STORE: mongo })).to.deep.equal({ kind: 'mongodb', address: mongo, isBeside: true });
  });

  it('are refused if they are wrong, with what they must be and where the address belongs', () => {
    expect(problemsOf({ env: { EVENT_STORE: 'kafka://ada:s3cret@k:9092', BUS: 'redis://r' } })).to.deep.equal(
      [
        'EVENT_STORE: must be sqlite:<file>, memory: or esdb://<host> or esdb+discover://<host>; kafka:// is for BUS',
        'BUS: must be sqlite:<file>, memory: or kafka://<host>:9092',
      ],
    );
    expect(problemsOf({ env: { READ_STORE: 'esdb://log', STATE_STORE: 'mongodb://' } })).to.have.length(2);
    expect(problemsOf({ env: { READ_STORE: mongo, STATE_STORE: mongo } })).to.deep.equal([
      'STATE_STORE: must be a database of its own; this is the one of READ_STORE',
    ]);
  });

  it('are shown without passwords', () => {
    expect(withoutPassword(mongo)).to.equal('mongodb://(set)@db1:27017,db2:27017/tea?replicaSet=rs0');
    expect(withoutPassword('mongodb://db/tea?tls=true&tlsCertificateKeyFilePassword=p&w=1')).to.equal(
      'mongodb://db/tea?tls=true&tlsCertificateKeyFilePassword=(set)&w=1',
    );
  });
});

describe('The configuration of a service on its own', () => {
  it('has a port of its own and only the engines that it works with', () => {
    const env = { ...servers, ...shared };
    const command = loadConfig({ env, service: 'command' });
    expect(command.port).to.equal(4001);
    expect(command.engines).to.deep.include({ read: { kind: 'memory' }, bus: { kind: 'memory' } });
    expect(command.engines.state).to.include({ kind: 'mongodb' });
    const projection = loadConfig({ env, service: 'projection' });
    expect(projection.port).to.equal(4002);
    expect(projection.engines.read).to.include({ kind: 'mongodb' });
    const dispatcher = loadConfig({ env: { ...env, PORT: '80' }, service: 'dispatcher' });
    expect(dispatcher.port).to.equal(80);
    expect(dispatcher.engines.bus).to.include({ kind: 'kafka' });
  });

  it('may keep to itself what no other service works with', () => {
    const { EVENT_STORE } = servers;
    const env = { EVENT_STORE, STATE_STORE: 'mongodb://db/tea_state', ...shared };
    expect(loadConfig({ env, service: 'projection' }).engines.read.kind).to.equal('sqlite');
    expect(loadConfig({ env, service: 'dispatcher' }).engines.bus.kind).to.equal('sqlite');
  });

  it('names everything at once that is missing or not shared', () => {
    const problems = problemsOf({ env: {}, service: 'dispatcher' });
    expect(problems.map((problem) => problem.split(':')[0])).to.deep.equal([
      'APPLICATION_KEY',
      'BACKOFFICE_API_KEY',
      'PUBLIC_BASE_URL',
      'EVENT_STORE',
      'STATE_STORE',
    ]);
    expect(problems.at(-1)).to.include('must be mongodb://<host>/<name>').and.include('dispatcher');
  });
});
