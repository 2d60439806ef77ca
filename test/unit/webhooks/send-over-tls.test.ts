import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { expect } from 'chai';
import type { Sender } from '#ports/sender.ts';
import { createSender } from '#runtime/send.ts';
import { exampleCertificate, exampleKey } from '../../support/example-certificate.ts';

describe('a webhook over TLS', () => {
  const trusted = getCACertificates('default');
  const asked: unknown[] = [];
  let server: Server;
  let sender: Sender;

  beforeEach(async () => {
    asked.splice(0);
    server = createServer({ key: exampleKey, cert: exampleCertificate }, (request, response) => {
      asked.push([request.headers.host, (request.socket as TLSSocket).servername]);
      response.end('ok');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const policy = { allowLoopback: true, allowPrivate: false };
    sender = createSender({ policy, resolve: () => Promise.resolve(['127.0.0.1']) });
  });
  afterEach(async () => {
    setDefaultCACertificates([...trusted]);
    sender.close();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const port = (): number => (server.address() as AddressInfo).port;
  const send = (host: string) =>
    sender.send({
      targetUrl: `https://${host}:${port()}/`,
      headers: {},
      body: Buffer.from('{}'),
      timeoutMs: 30_000,
    });

  it('goes to the checked address and holds the certificate against the name', async () => {
    setDefaultCACertificates([...trusted, exampleCertificate]);
    expect(await send('hooks.example.com')).to.include({ statusCode: 200, error: null });
    expect(asked).to.deep.equal([[`hooks.example.com:${port()}`, 'hooks.example.com']]);
  });

  it('goes to no other name at the same address, not even over a connection that is open', async () => {
    setDefaultCACertificates([...trusted, exampleCertificate]);
    await send('hooks.example.com');
    const { statusCode, error } = await send('other.example.com');
    expect(statusCode).to.equal(null);
    expect(error).to.contain('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(asked).to.have.length(1);
  });

  it('goes to no receiver with an untrusted certificate', async () => {
    const { statusCode, error } = await send('hooks.example.com');
    expect(statusCode).to.equal(null);
    expect(error).to.contain('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(asked).to.deep.equal([]);
  });
});
