# Builds bench.jar and Spark's jars, and sets $java, $class_path and $opens, the options that Spark asks of the JVM. Sourced from the root of the project.
. bench/build.sh
# The example has Spark's jars in target/lib. They come first, as bench.jar has other versions of some.
mvn -q -ntp -B ${WOODBIRD_MAVEN_OPTS:-} -Dwoodbird.quick -Dmaven.test.skip=true -pl examples/spark-blocklist -am package </dev/null >&2
opens=$(sed -n 's:.*<woodbird.spark.options>\(.*\)</woodbird.spark.options>.*:\1:p' pom.xml)
class_path="examples/spark-blocklist/target/lib/*:examples/spark-blocklist/target/spark-blocklist.jar:bench/target/bench.jar"
