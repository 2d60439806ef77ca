/**
 * The messages of EventStoreDB's gRPC protocol as they ship, generated, inside its client, and its reader of connection
 * strings. The client itself cannot be used: it parses and rebuilds the JSON that a hash covers byte for byte, has no
 * filter for reads of the whole log, asks only the first of several hosts with `+discover`, stays with a leader that
 * hangs, and cannot speak TLS to an IP address.
 */
export { parseConnectionString } from '@eventstore/db-client/dist/Client/parseConnectionString.js';
export { GossipClient } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
export { default as gossip } from '@eventstore/db-client/generated/gossip_pb.js';
export { StreamsClient, StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
export { default as streams } from '@eventstore/db-client/generated/streams_pb.js';
export { default as shared } from '@eventstore/db-client/generated/shared_pb.js';
