#!/usr/bin/env bash
# An Apache Kafka broker, without Docker: one KRaft node on loopback out of Maven Central's jars.
#
#   kafka.sh start     fetches what is missing, starts the broker and prints its address; one that runs is left alone
#   kafka.sh wait      waits until it answers and prints its address
#   kafka.sh stop      stops it and keeps its data: the next start goes on where it was
#   kafka.sh restart   both
#   kafka.sh kill      kills it (SIGKILL) and keeps its data
#   kafka.sh pause     freezes it (SIGSTOP): connections stay open, nothing answers
#   kafka.sh resume    lets it go on
#   kafka.sh remove    kills it and removes its data
#   kafka.sh deps      only fetches the jars
#
#   KAFKA_PORT             9092                where it listens, on 127.0.0.1 only
#   KAFKA_CONTROLLER_PORT  KAFKA_PORT + 1      where it listens to itself
#   KAFKA_DIR              /tmp/tillroll-kafka  its data, settings, log (server.log) and process id (pid)
#   KAFKA_HEAP             512m                how much memory Java may take
#   KAFKA_JARS             ~/.cache/tillroll/kafka-<version>   shared by all brokers
#
# Needs Java 17 or newer and Maven. Exit code 3: one of them or the registry is missing.
set -euo pipefail

version=4.1.1
server='Kafka broker'
port=${KAFKA_PORT:-9092}
address=kafka://127.0.0.1:$port
controller_port=${KAFKA_CONTROLLER_PORT:-$((port + 1))}
dir=${KAFKA_DIR:-${TMPDIR:-/tmp}/tillroll-kafka}
jars=${KAFKA_JARS:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/tillroll/kafka-$version}
# One broker is the whole cluster, so that any name does for it: 16 bytes, base64.
cluster=dGlsbHJvbGwtdGVzdC1rZg

dependencies="
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>$version</version></dependency>
    <dependency>
      <groupId>org.apache.logging.log4j</groupId><artifactId>log4j-slf4j-impl</artifactId><version>2.24.3</version>
    </dependency>"
. "$(dirname "$0")/java-server.sh"

# Small numbers of everything, and no waiting for further members of a group: tests start many groups.
write_settings() {
  cat >"$dir/server.properties" <<SETTINGS
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$controller_port
controller.listener.names=CONTROLLER
listeners=CLIENTS://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller_port
advertised.listeners=CLIENTS://127.0.0.1:$port
inter.broker.listener.name=CLIENTS
listener.security.protocol.map=CLIENTS:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=$dir/data
auto.create.topics.enable=false
default.replication.factor=1
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
num.network.threads=2
num.io.threads=4
log.cleaner.dedupe.buffer.size=16777216
SETTINGS
  cat >"$dir/log4j2.properties" <<'LOGGING'
rootLogger.level=WARN
rootLogger.appenderRef.console.ref=console
appender.console.type=Console
appender.console.name=console
appender.console.layout.type=PatternLayout
appender.console.layout.pattern=%d %p %c %m%n
LOGGING
}

java_options=(-XX:+UseSerialGC -XX:TieredStopAtLevel=1 "-Dlog4j2.configurationFile=$dir/log4j2.properties" -cp "$jars/*")

launch() {
  write_settings
  if [ ! -f "$dir/data/meta.properties" ]; then
    java "${java_options[@]}" kafka.tools.StorageTool format -t "$cluster" -c "$dir/server.properties" \
      >"$dir/server.log" 2>&1 || {
      cat "$dir/server.log" >&2
      fail 1 'the data folder could not be made.'
    }
  fi
  nohup java "-Xmx${KAFKA_HEAP:-512m}" "${java_options[@]}" kafka.Kafka "$dir/server.properties" \
    >"$dir/server.log" 2>&1 </dev/null &
}

run_command "$@"
