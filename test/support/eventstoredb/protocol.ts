/** What the double speaks beside the messages that the adapter uses too. */
export { default as any } from 'google-protobuf/google/protobuf/any_pb.js';
export { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
export { default as gossip } from '@eventstore/db-client/generated/gossip_pb.js';
export { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
export { default as features } from '@eventstore/db-client/generated/serverfeatures_pb.js';
export { default as status } from '@eventstore/db-client/generated/status_pb.js';
export { shared, streams, StreamsService } from '#adapters/eventstoredb/protocol.ts';
