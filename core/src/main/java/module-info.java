/** Membership filters: "certainly not here" or "maybe here" for sets too large to hold. */
module io.woodbird {
  requires static org.jspecify;

  exports io.woodbird;
  exports io.woodbird.classic;
  exports io.woodbird.guard;
  exports io.woodbird.key;
}
