package io.woodbird.redis.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RoutedLink;
import io.woodbird.redis.link.Slots;
import io.woodbird.redis.link.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** All masters are looked through, or none: no server, no network. */
class NamesTest {
  /** A cluster in which each master has a filter that is named after it. */
  private static final class Masters implements Wire {
    private final String second;
    private boolean learnt;
    private boolean isMoving;

    /**
     * Makes one of two masters.
     *
     * @param second the name of that which came last
     */
    Masters(String second) {
      this.second = second;
    }

    @Override
    public boolean cluster() {
      return true;
    }

    @Override
    public String nodeOf(int slot, long end) {
      return learnt && slot >= Slots.COUNT / 2 ? second : "first";
    }

    @Override
    public void relearn(long end) {
      learnt = true;
    }

    private static String info(String node) {
      String id = "%016x".formatted(node.hashCode());
      return "# Replication\r\nrole:master\r\nmaster_replid:" + id.repeat(3) + "\r\n";
    }

    @Override
    public List<@Nullable Object> exchange(String node, List<Command> commands, long end) {
      List<@Nullable Object> replies = new ArrayList<>();
      for (Command command : commands) {
        replies.add(
            switch (command.name) {
              case SCAN ->
                  List.of(Command.bytes("0"), List.of(Command.bytes("wbird:meta:" + node)));
              case INFO -> Command.bytes(info(isMoving ? "second" : node));
              default -> new byte[0];
            });
      }
      return replies;
    }

    @Override
    public Supplier<List<@Nullable Object>> start(String node, List<Command> commands, long end) {
      return () -> exchange(node, commands, end);
    }

    @Override
    public void close() {}
  }

  @Test
  void aMasterThatCameLater_isAskedToo() {
    try (RoutedLink link = new RoutedLink(new Masters("second"), Duration.ofMinutes(10))) {
      for (int slot = 0; slot < Slots.COUNT; slot++) {
        assertThat(link.nodeOf(slot)).isEqualTo("first"); // The client has learnt that before.
      }
      assertThat(new Names(link).filters()).containsExactly("first", "second");
    }
  }

  /** A server sends what is asked about a slot that moves to the next one, which answers twice. */
  @Test
  void whileASlotMoves_namesAreNotGuessed() {
    Masters moving = new Masters("second");
    moving.isMoving = true;
    try (RoutedLink link = new RoutedLink(moving, Duration.ofMinutes(10))) {
      assertThatThrownBy(() -> new Names(link).filters())
          .isInstanceOf(RedisFilterException.class)
          .hasMessageContaining("while slots or masters change");
    }
  }

  @Test
  void slotsWithoutAMaster_areNotLeftOut() {
    try (RoutedLink link = new RoutedLink(new Masters(Link.UNKNOWN), Duration.ofMinutes(10))) {
      assertThatThrownBy(() -> new Names(link).filters())
          .isInstanceOf(RedisFilterException.class)
          .hasMessageContaining("slot 8192 has no master");
    }
  }
}
