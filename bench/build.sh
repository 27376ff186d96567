# Makes bench/target/bench.jar where it is missing or older than the sources, and sets $java. Sourced from the root of the project.
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
stale() {
  [[ ! -f bench/target/bench.jar ]] ||
    [[ -n $(find pom.xml {core,jdbc,redis,spark,testkit,bench}/pom.xml {core,jdbc,redis,spark,testkit,bench}/src/main -newer bench/target/bench.jar -print -quit) ]]
}
if stale; then
  echo "building bench/target/bench.jar..." >&2
  mvn -q -ntp -B ${WOODBIRD_MAVEN_OPTS:-} -Dwoodbird.quick -Dmaven.test.skip=true -pl bench -am package </dev/null >&2
  touch bench/target/bench.jar
fi
