/**
 * The messages of EventStoreDB's gRPC protocol as they ship, generated, inside its client. The client's own functions
 * cannot be used for events: they parse and rebuild the JSON that a hash covers byte for byte, and offer no filter for
 * reads of the whole log.
 */
export { EventStoreDBClient } from '@eventstore/db-client';
export { parseConnectionString } from '@eventstore/db-client/dist/Client/parseConnectionString.js';
export { StreamsClient, StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
export { default as streams } from '@eventstore/db-client/generated/streams_pb.js';
export { default as shared } from '@eventstore/db-client/generated/shared_pb.js';
