#!/usr/bin/env bash
# An Apache Kafka broker, without Docker: one KRaft node on loopback out of Maven Central's jars.
#
#   kafka.sh start     fetches what is missing, starts the broker and prints its address; one that runs is left alone
#   kafka.sh wait      waits until it answers and prints its address
#   kafka.sh stop      stops it and keeps its data: the next start goes on where it was
#   kafka.sh kill      kills it (SIGKILL) and keeps its data
#   kafka.sh pause     freezes it (SIGSTOP): connections stay open, nothing answers
#   kafka.sh resume    lets it go on
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
port=${KAFKA_PORT:-9092}
controller_port=${KAFKA_CONTROLLER_PORT:-$((port + 1))}
dir=${KAFKA_DIR:-${TMPDIR:-/tmp}/tillroll-kafka}
jars=${KAFKA_JARS:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/tillroll/kafka-$version}
# One broker is the whole cluster, so that any name does for it: 16 bytes, base64.
cluster=dGlsbHJvbGwtdGVzdC1rZg

fail() {
  echo "kafka.sh: $2" >&2
  exit "$1"
}

missing() { fail 3 "$1 The Kafka broker is left out."; }

check_java() {
  command -v java >/dev/null || missing 'Java is not installed.'
  local major
  major=$(java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.specification.version = //p')
  [ "${major%%.*}" -ge 17 ] 2>/dev/null || missing "Java 17 or newer is needed, this is ${major:-unknown}."
}

fetch_jars() {
  [ -d "$jars" ] && return
  command -v mvn >/dev/null || missing 'Maven (mvn) is not installed.'
  local work
  mkdir -p "$(dirname "$jars")"
  work=$(mktemp -d "$jars.XXXXXX")
  cat >"$work/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>tillroll.test</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>$version</version></dependency>
    <dependency>
      <groupId>org.apache.logging.log4j</groupId><artifactId>log4j-slf4j-impl</artifactId><version>2.24.3</version>
    </dependency>
  </dependencies>
</project>
POM
  if ! mvn -q -B -f "$work/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
    -DincludeScope=runtime -DoutputDirectory="$work/jars" >"$work/log" 2>&1; then
    tail -5 "$work/log" >&2
    rm -rf "$work"
    missing 'Maven Central did not give the jars.'
  fi
  # In one step, for several may fetch at once; the first one there wins.
  mv -T "$work/jars" "$jars" 2>/dev/null || true
  rm -rf "$work"
}

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

pid() { cat "$dir/pid" 2>/dev/null; }
is_running() { pid >/dev/null && kill -0 "$(pid)" 2>/dev/null; }
is_listening() { (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; }

wait_until_up() {
  for _ in $(seq 1 600); do
    is_running || {
      tail -20 "$dir/server.log" >&2
      fail 1 'the broker has ended.'
    }
    if is_listening; then
      echo "kafka://127.0.0.1:$port"
      return
    fi
    sleep 0.1
  done
  tail -20 "$dir/server.log" >&2
  fail 1 'the broker was not up within 60 s.'
}

start() {
  if ! is_running; then
    check_java
    fetch_jars
    if is_listening; then fail 1 "port $port is taken."; fi
    mkdir -p "$dir"
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
    echo $! >"$dir/pid"
  fi
  wait_until_up
}

wait_until_gone() {
  for _ in $(seq 1 "$1"); do
    is_running || return 0
    sleep 0.1
  done
  return 1
}

stop() {
  if is_running; then
    kill -CONT "$(pid)"
    kill "$(pid)"
    wait_until_gone 200 || kill -KILL "$(pid)"
  fi
  rm -f "$dir/pid"
}

send() {
  is_running || fail 1 'no broker is running.'
  kill "-$1" "$(pid)"
}

case "${1:-}" in
  start) start ;;
  wait) wait_until_up ;;
  stop) stop ;;
  kill) send KILL && wait_until_gone 100 && rm -f "$dir/pid" ;;
  pause) send STOP ;;
  resume) send CONT ;;
  deps) check_java && fetch_jars ;;
  *)
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"
    case "${1:-}" in -h | --help | help) exit 0 ;; *) exit 2 ;; esac
    ;;
esac
