/** Membership filters: "certainly not here" or "maybe here" for sets too large to hold. */
@SuppressWarnings("module") // The modules that are named are built after this one.
module io.woodbird {
  requires static jdk.jfr; // Without it nothing is recorded.
  requires static org.jspecify;

  exports io.woodbird;
  exports io.woodbird.classic;
  exports io.woodbird.guard;
  exports io.woodbird.key;
  exports io.woodbird.file to
      io.woodbird.redis,
      io.woodbird.spark;
  exports io.woodbird.filter to
      io.woodbird.redis;
  exports io.woodbird.filter.bloom to
      io.woodbird.redis;
  exports io.woodbird.filter.window to
      io.woodbird.redis;
  exports io.woodbird.filter.frozen to
      io.woodbird.spark;
  exports io.woodbird.guard.shared to
      io.woodbird.redis,
      io.woodbird.spring;
  exports io.woodbird.layout to
      io.woodbird.redis;
  exports io.woodbird.time to
      io.woodbird.redis;
  exports io.woodbird.words to
      io.woodbird.redis;
}
