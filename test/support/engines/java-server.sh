# shellcheck shell=bash
# What kafka.sh and mongo.sh share: the life of a Java server on loopback out of Maven Central's jars. The script sets
#
#   server        what it is called in messages
#   address       what is printed once it answers
#   port          where it listens, on 127.0.0.1
#   dir           its data, log (server.log) and process id (pid)
#   jars          where its jars are kept
#   dependencies  Maven's <dependency> elements of these jars
#   java_module   a module of Java that it needs, if any
#
# and defines `launch`, whose last background process is the server.

fail() {
  echo "$(basename "$0"): $2" >&2
  exit "$1"
}

missing() { fail 3 "$1 The $server is left out."; }

check_java() {
  command -v java >/dev/null || missing 'Java is not installed.'
  local major
  major=$(java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.specification.version = //p')
  [ "${major%%.*}" -ge 17 ] 2>/dev/null || missing "Java 17 or newer is needed, this is ${major:-unknown}."
  [ -z "${java_module:-}" ] || java --list-modules | grep "^$java_module" >/dev/null ||
    missing "This Java is without $java_module: a JDK is needed."
}

fetch_jars() {
  compgen -G "$jars/*.jar" >/dev/null && return
  command -v mvn >/dev/null || missing 'Maven (mvn) is not installed.'
  local work
  mkdir -p "$(dirname "$jars")"
  work=$(mktemp -d "$jars.XXXXXX")
  cat >"$work/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>tillroll.test</groupId><artifactId>server</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>$dependencies</dependencies>
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
is_listening() { (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; }

wait_until_up() {
  for _ in $(seq 1 1800); do
    is_running || {
      tail -20 "$dir/server.log" >&2
      fail 1 "the $server has ended."
    }
    if is_listening; then
      echo "$address"
      return
    fi
    sleep 0.1
  done
  tail -20 "$dir/server.log" >&2
  fail 1 "the $server was not up within three minutes."
}

wait_until_gone() {
  for _ in $(seq 1 "$1"); do
    is_running || return 0
    sleep 0.1
  done
  return 1
}

start() {
  if ! is_running; then
    check_java
    fetch_jars
    if is_listening; then fail 1 "port $port is taken."; fi
    mkdir -p "$dir"
    launch
    echo $! >"$dir/pid"
  fi
  wait_until_up
}

stop() {
  if is_running; then
    kill -CONT "$(pid)"
    kill "$(pid)"
    wait_until_gone 200 || kill -KILL "$(pid)"
  fi
  rm -f "$dir/pid"
}

# In no order: nobody reads its data any more.
remove() {
  if is_running; then
    kill -KILL "$(pid)"
    wait_until_gone 100
  fi
  rm -rf "$dir"
}

send() {
  is_running || fail 1 "no $server is running."
  kill "-$1" "$(pid)"
}

# Its threads stop one after another: on a busy machine some go on answering for a moment.
pause() {
  send STOP
  local running
  for _ in $(seq 1 600); do
    running=$(cat "/proc/$(pid)/task/"*/status 2>/dev/null | grep '^State:' | grep -vc '[Tt] (' || true)
    [ "${running:-0}" = 0 ] && return
    sleep 0.1
  done
  fail 1 "the $server goes on for 60 s."
}

run_command() {
  case "${1:-}" in
    start) start ;;
    wait) wait_until_up ;;
    stop) stop ;;
    restart) stop && start ;;
    remove) remove ;;
    kill) send KILL && wait_until_gone 100 && rm -f "$dir/pid" ;;
    pause) pause ;;
    resume) send CONT ;;
    deps) check_java && fetch_jars ;;
    *)
      sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"
      case "${1:-}" in -h | --help | help) exit 0 ;; *) exit 2 ;; esac
      ;;
  esac
}
