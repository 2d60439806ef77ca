#!/usr/bin/env bash
# A server that speaks MongoDB's protocol, without Docker: mongo-java-server on H2's file store, from Maven Central.
#
#   mongo.sh start     fetches what is missing, starts the server and prints its URL; one that runs already is left alone
#   mongo.sh stop      stops it and keeps its file: the next start goes on where it was
#   mongo.sh restart   both
#   mongo.sh pause     freezes it (SIGSTOP): connections stay open, nothing answers
#   mongo.sh resume    lets it go on
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
port=${MONGO_PORT:-27017}
dir=${MONGO_DIR:-${TMPDIR:-/tmp}/tillroll-mongo}
jars=${MONGO_JARS:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/tillroll/mongo-java-server-$version}
here=$(cd "$(dirname "$0")" && pwd)

fail() {
  echo "mongo.sh: $2" >&2
  exit "$1"
}

missing() { fail 3 "$1 The MongoDB-protocol server is left out."; }

check_java() {
  command -v java >/dev/null || missing 'Java is not installed.'
  local major
  major=$(java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.specification.version = //p')
  [ "${major%%.*}" -ge 17 ] 2>/dev/null || missing "Java 17 or newer is needed, this is ${major:-unknown}."
  java --list-modules | grep -q '^jdk.compiler' || missing 'A JDK is needed, this Java is without its compiler.'
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
  <groupId>tillroll.test</groupId><artifactId>mongo</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>de.bwaldvogel</groupId><artifactId>mongo-java-server-h2-backend</artifactId><version>$version</version>
    </dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>2.0.17</version></dependency>
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

pid() { cat "$dir/pid" 2>/dev/null; }
is_running() { pid >/dev/null && kill -0 "$(pid)" 2>/dev/null; }

start() {
  if ! is_running; then
    check_java
    fetch_jars
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then fail 1 "port $port is taken."; fi
    mkdir -p "$dir"
    nohup java -Xmx512m -XX:+UseSerialGC -Dorg.slf4j.simpleLogger.defaultLogLevel=off \
      -cp "$jars/*" "$here/MongoProtocolServer.java" "$port" "$dir/data.h2" >"$dir/server.log" 2>&1 </dev/null &
    echo $! >"$dir/pid"
    for _ in $(seq 1 300); do
      grep -q '^listening' "$dir/server.log" && break
      is_running || { cat "$dir/server.log" >&2; fail 1 'the server ended at once.'; }
      sleep 0.1
    done
    grep -q '^listening' "$dir/server.log" || { stop; fail 1 'the server was not up within 30 s.'; }
  fi
  echo "mongodb://127.0.0.1:$port/tillroll"
}

stop() {
  if is_running; then
    kill -CONT "$(pid)"
    kill "$(pid)"
    for _ in $(seq 1 100); do
      is_running || break
      sleep 0.1
    done
    if is_running; then kill -KILL "$(pid)"; fi
  fi
  rm -f "$dir/pid"
}

send() {
  is_running || fail 1 'no server is running.'
  kill "-$1" "$(pid)"
}

case "${1:-}" in
  start) start ;;
  stop) stop ;;
  restart) stop && start ;;
  pause) send STOP ;;
  resume) send CONT ;;
  deps) check_java && fetch_jars ;;
  *)
    sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"
    exit 2
    ;;
esac
