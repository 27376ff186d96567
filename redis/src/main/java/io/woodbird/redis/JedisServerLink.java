package io.woodbird.redis;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A way to one server through Jedis. */
final class JedisServerLink extends JedisLink {
  private final Source source;

  JedisServerLink(Source source, Duration timeout) {
    super(timeout);
    this.source = source;
  }

  @Override
  public Replies run(List<Command> commands, List<Command> after) {
    if (after.isEmpty()) {
      return new Replies(exchange(source, commands), List.of());
    }
    List<@Nullable Object> replies = exchange(source, followed(commands, after));
    int count = commands.size();
    return new Replies(
        replies.subList(0, count),
        Collections.nCopies(count, replies.subList(count, replies.size())));
  }

  @Override
  public @Nullable Object at(byte[] key, Command command) {
    return exchange(source, List.of(command)).get(0);
  }

  @Override
  public List<@Nullable Object> everywhere(Command command) {
    return exchange(source, List.of(command));
  }

  @Override
  public String nodeOf(byte[] key) {
    return "the server";
  }

  @Override
  public boolean cluster() {
    return false;
  }
}
