#!/usr/bin/env bash
# A server that speaks MongoDB's protocol, without Docker: mongo-java-server on H2's file store, from Maven Central.
#
#   mongo.sh start     fetches what is missing, starts the server and prints its URL; one that runs is left alone
#   mongo.sh wait      waits until it answers and prints its URL
#   mongo.sh stop      stops it and keeps its file: the next start goes on where it was
#   mongo.sh restart   both
#   mongo.sh kill      kills it (SIGKILL) and keeps its file
#   mongo.sh pause     freezes it (SIGSTOP): connections stay open, nothing answers
#   mongo.sh resume    lets it go on
#   mongo.sh remove    kills it and removes its data
#   mongo.sh deps      only fetches the jars
#
#   MONGO_PORT   27017               where it listens, on 127.0.0.1 only
#   MONGO_DIR    /tmp/tillroll-mongo its file (data.h2), log (server.log) and process id (pid)
#   MONGO_JARS   ~/.cache/tillroll/mongo-java-server-<version>   shared by all servers
#
# Needs Java 17 or newer (a JDK) and Maven. Exit code 3: one of them or the registry is missing.
#
# What it is not: it has no sessions and transactions, takes compound indexes that are not unique and ignores them, goes
# on after an error in an ordered bulk write, orders texts by UTF-16 unit, and a kill -9 may cost its last moments. So
# use of indexes, majority writes and safety in a crash are to be judged on MongoDB itself.
set -euo pipefail

version=1.47.0
server='MongoDB-protocol server'
port=${MONGO_PORT:-27017}
address=mongodb://127.0.0.1:$port/tillroll
dir=${MONGO_DIR:-${TMPDIR:-/tmp}/tillroll-mongo}
jars=${MONGO_JARS:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/tillroll/mongo-java-server-$version}
# It compiles its main class as it starts.
java_module=jdk.compiler
dependencies="
    <dependency>
      <groupId>de.bwaldvogel</groupId><artifactId>mongo-java-server-h2-backend</artifactId><version>$version</version>
    </dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>2.0.17</version></dependency>"
here=$(dirname "$0")
. "$here/java-server.sh"

launch() {
  nohup java -Xmx512m -XX:+UseSerialGC -Dorg.slf4j.simpleLogger.defaultLogLevel=off \
    -cp "$jars/*" "$here/MongoProtocolServer.java" "$port" "$dir/data.h2" >"$dir/server.log" 2>&1 </dev/null &
}

run_command "$@"
