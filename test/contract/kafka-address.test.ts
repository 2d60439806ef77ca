import { expect } from 'chai';
import { readKafkaAddress } from '#adapters/kafka/kafka-address.ts';

describe('the address of Kafka', () => {
  it('names the brokers to ask first; everything else has a default', () => {
    expect(readKafkaAddress('kafka://one.example:9093,two,10.0.0.3')).to.deep.equal({
      brokers: ['one.example:9093', 'two:9092', '10.0.0.3:9092'],
      isEncrypted: false,
      login: null,
      clientId: 'tillroll',
      prefix: '',
      partitions: null,
      replication: null,
      isIdempotent: false,
      deadLetterAfter: null,
      sessionMilliseconds: 10_000,
    });
  });

  it('takes TLS from the scheme, and a login before the @', () => {
    const address = 'kafka+ssl://till%40roll:p%40ss:w%2Ford@broker:9094/?mechanism=scram-sha-512';
    expect(readKafkaAddress(address))
      .to.include({ isEncrypted: true })
      .and.to.deep.include({
        brokers: ['broker:9094'],
        login: { mechanism: 'scram-sha-512', username: 'till@roll', password: 'p@ss:w/ord' },
      });
    expect(readKafkaAddress('kafka://till:roll@broker').login).to.include({ mechanism: 'plain' });
  });

  it('takes settings as parameters', () => {
    const parameters =
      'partitions=32&replication=3&idempotent=true&deadLetterAfter=10&sessionMilliseconds=6000&clientId=till&prefix=north.';
    expect(readKafkaAddress(`kafka://broker?${parameters}`)).to.include({
      partitions: 32,
      replication: 3,
      isIdempotent: true,
      deadLetterAfter: 10,
      sessionMilliseconds: 6000,
      clientId: 'till',
      prefix: 'north.',
    });
  });

  it('is refused with what is wrong about it, and without the password', () => {
    for (const [address, what] of [
      ['kafka://', 'kafka://<host>:<port>'],
      ['http://broker', 'kafka://<host>:<port>'],
      ['kafka://user:pass@broker:port', '<host>:<port>'],
      ['kafka://user:pass@one,,two', '<host>:<port>'],
      ['kafka://broker:70000', '<host>:<port>'],
      ['kafka://user@broker', 'user:password'],
      ['kafka://us%er:pass@broker', 'percent-encoded'],
      ['kafka://user:pass@broker?mechanism=gssapi', 'plain, scram-sha-256, scram-sha-512'],
      ['kafka://user:pass@broker?replicas=3', 'replicas'],
      ['kafka://broker?partitions=0', 'partitions'],
      ['kafka://broker?replication=0', 'replication'],
      ['kafka://broker?idempotent=yes', 'idempotent'],
      ['kafka://broker?sessionMilliseconds=10', 'sessionMilliseconds'],
      ['kafka://broker?prefix=north/', 'prefix'],
    ] as const) {
      expect(() => readKafkaAddress(address), address)
        .to.throw(RangeError, what)
        .with.property('message')
        .that.does.not.include('pass@');
    }
  });
});
