package io.woodbird.redis;

import java.time.Duration;
import java.util.ArrayList;
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
  public Replies run(List<Command> commands, @Nullable Command proof) {
    if (proof == null) {
      return new Replies(exchange(source, commands), List.of());
    }
    List<Command> all = new ArrayList<>(commands);
    all.add(proof);
    List<@Nullable Object> replies = exchange(source, all);
    int last = commands.size();
    return new Replies(replies.subList(0, last), replies.subList(last, last + 1));
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
