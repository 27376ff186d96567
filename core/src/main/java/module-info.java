/** Membership filters: "certainly not here" or "maybe here" for sets too large to hold. */
@SuppressWarnings("module") // io.woodbird.redis and io.woodbird.spark are built after this module.
module io.woodbird {
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
  exports io.woodbird.filter.frozen to
      io.woodbird.spark;
  exports io.woodbird.layout to
      io.woodbird.redis;
  exports io.woodbird.time to
      io.woodbird.redis;
  exports io.woodbird.words to
      io.woodbird.redis;
}
