package io.woodbird.redis.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.redis.link.RedisError.Kind;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a link to a cluster sends again: no server, no network. */
class RoutedLinkTest {
  private static final byte[] SHARD = Command.bytes("shard");
  private static final Command BLOCK = Command.getRange(SHARD, 64, 127);
  private static final Command HEADER = Command.getRange(SHARD, 0, 63);
  private static final Command OTHER = Command.getRange(Command.bytes("other"), 0, 63);
  private static final List<Command> PROOF =
      List.of(Command.keyless(Command.Name.INFO, "replication"));
  private static final RedisError BROKEN = new RedisError(Kind.UNREACHABLE, "it broke");

  /** A question may need the record of the filter, and the headers of all shards, from others. */
  @Test
  void severalCalls_endWhenOneWould() {
    List<Long> ends = new ArrayList<>();
    Script script =
        new Script() {
          @Override
          public List<@Nullable Object> exchange(String node, List<Command> commands, long end) {
            ends.add(end);
            return new ArrayList<>(Collections.nCopies(commands.size(), new byte[0]));
          }
        };
    try (RoutedLink link = new RoutedLink(script, Duration.ofMinutes(10))) {
      int replies =
          link.asOneCall(
              () ->
                  link.run(List.of(BLOCK), PROOF).all().size()
                      + link.asOneCall(() -> link.run(List.of(OTHER))).size());
      assertThat(replies).isEqualTo(2);
      Object unused = link.run(HEADER);
    }
    assertThat(ends).hasSize(3);
    assertThat(ends.get(1)).isEqualTo(ends.get(0));
    assertThat(ends.get(2)).isGreaterThan(ends.get(0));
  }

  /** A connection that is lent for no time would be cut, and the next call have none. */
  @Test
  void afterTheEnd_nothingIsSent() {
    Script script = new Script();
    script.replies.add(List.of(new byte[0]));
    Duration time = Duration.ofMillis(20);
    try (RoutedLink link = new RoutedLink(script, time)) {
      Link.Replies late =
          link.asOneCall(
              () -> {
                long begin = System.nanoTime();
                while (System.nanoTime() - begin <= time.toNanos()) {
                  Thread.onSpinWait();
                }
                return link.run(List.of(BLOCK, HEADER), PROOF);
              });
      assertThat(late.all()).hasSize(2).allMatch(RedisError.class::isInstance);
      assertThat(late.after()).hasSize(2);
      assertThat(script.sent).isEmpty();
    }
  }

  /** A cluster of one node at a time that says what it is told to, and keeps what it was sent. */
  private static class Script implements Wire {
    final Deque<List<Object>> replies = new ArrayDeque<>();
    final List<List<Command>> sent = new ArrayList<>();
    final List<String> nodes = new ArrayList<>();
    int known;

    @Override
    public boolean cluster() {
      return true;
    }

    @Override
    public String nodeOf(int slot, long end) {
      return "node " + known;
    }

    @Override
    public void relearn(long end) {
      known++;
    }

    @Override
    public List<@Nullable Object> exchange(String node, List<Command> commands, long end) {
      nodes.add(node);
      sent.add(List.copyOf(commands));
      List<@Nullable Object> next = new ArrayList<>(replies.remove());
      next.addAll(Collections.nCopies(commands.size() - next.size(), BROKEN));
      return next;
    }

    @Override
    public Supplier<List<@Nullable Object>> start(String node, List<Command> commands, long end) {
      return () -> exchange(node, commands, end);
    }

    @Override
    public void close() {}
  }

  private final Script wire = new Script();

  private Link.Replies run(Command... commands) {
    try (RoutedLink link = new RoutedLink(wire, Duration.ofMinutes(10))) {
      return link.run(List.of(commands), PROOF);
    }
  }

  /** Else the header of the second node would prove a block of the first, which may be older. */
  @Test
  void aBlockIsReadAgain_whenItsHeaderCameOverNoConnection() {
    wire.replies.add(List.of("a block of an old master"));
    wire.replies.add(List.of("a block", "a header", "a life"));
    Link.Replies replies = run(BLOCK, HEADER);
    assertThat(replies.all()).containsExactly("a block", "a header");
    assertThat(replies.after()).containsExactly(List.of("a life"), List.of("a life"));
    assertThat(wire.nodes).containsExactly("node 0", "node 1");
  }

  /** Else the header of a new master would prove a block of the old one, which may lack puts. */
  @Test
  void aKeyIsSentToOneNode_whateverOthersLearnMeanwhile() {
    List<RoutedLink> links = new ArrayList<>();
    Script learning =
        new Script() {
          @Override
          public String nodeOf(int slot, long end) {
            String node = super.nodeOf(slot, end);
            if (slot == Slots.of(OTHER.key())) {
              links.get(0).relearn(); // As another thread may, just now.
            }
            return node;
          }
        };
    learning.replies.add(List.of("a block", "other", "a header", "a life"));
    try (RoutedLink link = new RoutedLink(learning, Duration.ofMinutes(10))) {
      links.add(link);
      Link.Replies replies = link.run(List.of(BLOCK, OTHER, HEADER), PROOF);
      assertThat(learning.known).as("nodes were learnt").isEqualTo(1);
      assertThat(learning.nodes).containsExactly("node 0");
      assertThat(replies.all()).containsExactly("a block", "other", "a header");
    }
  }

  /** Else it would be read after what proves it. */
  @Test
  void aHeaderIsReadAgain_whenItsBlockWasRefused() {
    RedisError down = RedisError.refused("CLUSTERDOWN The cluster is down");
    wire.replies.add(List.of(down, "a header", "a life"));
    wire.replies.add(List.of("a block", "a later header", "a later life"));
    Link.Replies replies = run(BLOCK, HEADER);
    assertThat(replies.all()).containsExactly("a block", "a later header");
    assertThat(replies.after().get(1)).containsExactly("a later life");
  }

  /** Else nobody could say in which life of the server it was read. */
  @Test
  void aBlockIsReadAgain_whenOnlyItsLifeCameOverNoConnection() {
    wire.replies.add(List.of("a block", "a header"));
    wire.replies.add(List.of("a later block", "a later header", "a life"));
    Link.Replies replies = run(BLOCK, HEADER);
    assertThat(replies.all()).containsExactly("a later block", "a later header");
    assertThat(replies.after()).containsExactly(List.of("a life"), List.of("a life"));
  }

  @Test
  void oneServer_isAskedThreeTimes_andNotForItsNodes() {
    Script one =
        new Script() {
          @Override
          public boolean cluster() {
            return false;
          }
        };
    one.replies.addAll(List.of(List.of("a block"), List.of(), List.of("a block", "a header")));
    try (RoutedLink link = new RoutedLink(one, Duration.ofMinutes(10))) {
      Link.Replies replies = link.run(List.of(BLOCK, HEADER), PROOF);
      assertThat(replies.all()).containsExactly("a block", "a header");
      assertThat(replies.after()).containsExactly(List.of(BROKEN), List.of(BROKEN));
    }
    assertThat(one.known).isZero();
  }

  @Test
  void whatHasAnotherKey_isNotSentAgain() {
    RedisError moved = RedisError.refused("MOVED 1 node 1");
    wire.replies.add(List.of("other", "a block", moved, "a life"));
    wire.replies.add(List.of("a new block", "a header", "another life"));
    Link.Replies replies = run(OTHER, BLOCK, HEADER);
    assertThat(replies.all()).containsExactly("other", "a new block", "a header");
    assertThat(replies.after())
        .containsExactly(List.of("a life"), List.of("another life"), List.of("another life"));
    assertThat(wire.sent.get(1)).containsExactly(BLOCK, HEADER, PROOF.get(0));
  }

  @Test
  void aKeyThatIsOnItsWay_isAskedForAtItsNewPlace_inOneExchange() {
    RedisError ask = RedisError.refused("ASK 1 there:1");
    wire.replies.add(List.of(ask, ask, "a life"));
    wire.replies.add(List.of("OK", "a block", "OK", "a header", "its life"));
    Link.Replies replies = run(BLOCK, HEADER);
    assertThat(replies.all()).containsExactly("a block", "a header");
    assertThat(replies.after().get(1)).containsExactly("its life");
    assertThat(wire.nodes).containsExactly("node 0", "there:1");
    assertThat(wire.known).as("nodes need not be learnt for that").isZero();
  }

  /** Two calls that hold a connection to one node each, and want the other's, wait for ever. */
  @Test
  void nodesAreCalledInOneOrder_whateverTheOrderOfTheCommands() {
    Script two =
        new Script() {
          @Override
          public String nodeOf(int slot, long end) {
            return slot == Slots.of(OTHER.key()) ? "node a" : "node b";
          }

          @Override
          public Supplier<List<@Nullable Object>> start(
              String node, List<Command> commands, long end) {
            List<@Nullable Object> replies = exchange(node, commands, end);
            return () -> replies;
          }
        };
    for (List<Command> call : List.of(List.of(BLOCK, OTHER), List.of(OTHER, BLOCK))) {
      two.replies.add(List.of("a reply", "a life"));
      two.replies.add(List.of("a reply", "a life"));
      try (RoutedLink link = new RoutedLink(two, Duration.ofMinutes(10))) {
        link.run(call, PROOF);
      }
    }
    assertThat(two.nodes).containsExactly("node a", "node b", "node a", "node b");
  }

  /** Else a block of one exchange might be proven by the header of another. */
  @Test
  void whatWasBegun_doesNotMixWithWhatIsSentInItsPlace() {
    CompletableFuture<List<@Nullable Object>> begun = new CompletableFuture<>();
    Deque<CompletableFuture<List<@Nullable Object>>> first = new ArrayDeque<>(List.of(begun));
    Wire two =
        new Wire() {
          @Override
          public boolean cluster() {
            return true;
          }

          @Override
          public String nodeOf(int slot, long end) {
            return "node " + slot;
          }

          @Override
          public void relearn(long end) {}

          @Override
          public List<@Nullable Object> exchange(String node, List<Command> commands, long end) {
            return new ArrayList<>(Collections.nCopies(commands.size(), "right"));
          }

          @Override
          public Supplier<List<@Nullable Object>> start(
              String node, List<Command> commands, long end) {
            return () -> exchange(node, commands, end);
          }

          @Override
          public boolean begins() {
            return true;
          }

          @Override
          public @Nullable CompletableFuture<List<@Nullable Object>> begin(
              String node, List<Command> commands, long end) {
            return first.poll(); // Nothing is there for the second node.
          }

          @Override
          public void close() {}
        };
    try (RoutedLink link = new RoutedLink(two, Duration.ofMinutes(10))) {
      Link.Replies replies = link.begin(List.of(BLOCK, OTHER), PROOF).join();
      begun.complete(new ArrayList<>(List.of("late", "late")));
      assertThat(replies.all()).containsExactly("right", "right");
      assertThat(replies.after()).containsExactly(List.of("right"), List.of("right"));
    }
  }

  /** Else it would be sent in vain until the time is over, as long as the slot is on its way. */
  @Test
  void whatTheNewPlaceRefuses_isTheReply() {
    RedisError ask = RedisError.refused("ASK 1 there:1");
    RedisError refused = RedisError.refused("NOSCRIPT No matching script");
    wire.replies.add(List.of(ask, "a life"));
    wire.replies.add(List.of("OK", refused, "its life"));
    Link.Replies replies = run(BLOCK);
    assertThat(replies.all()).containsExactly(refused);
    assertThat(replies.after()).containsExactly(List.of("its life"));
  }

  /** With Jedis that takes a connection, and so as long as the cluster likes. */
  @Test
  void whoMustNotBlock_doesNotLookForANode() {
    List<Thread> lookers = new ArrayList<>();
    Script slow =
        new Script() {
          @Override
          public String nodeOf(int slot, long end) {
            lookers.add(Thread.currentThread());
            return super.nodeOf(slot, end);
          }
        };
    slow.replies.add(List.of("a block", "a life"));
    try (RoutedLink link = new RoutedLink(slow, Duration.ofMinutes(10))) {
      assertThat(link.begin(List.of(BLOCK), PROOF).join().all()).containsExactly("a block");
    }
    assertThat(lookers).isNotEmpty().doesNotContain(Thread.currentThread());
  }
}
