package io.woodbird.redis;

import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RedisError;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A link that lets a test act before a command, or lose one on its way. */
abstract class HeldLink implements Link {
  private final Link link;

  HeldLink(Link link) {
    this.link = link;
  }

  /** Called before a command is sent. */
  void before(Command command) {}

  /** Whether a command is lost on its way. */
  boolean swallow(Command command) {
    return false;
  }

  @Override
  public Replies run(List<Command> commands, List<Command> after) {
    List<@Nullable Object> all = new ArrayList<>();
    List<List<@Nullable Object>> followed = new ArrayList<>();
    for (Command command : commands) {
      before(command);
      RedisError lost = new RedisError(RedisError.Kind.TIMEOUT, "held");
      if (swallow(command)) {
        all.add(lost);
        followed.add(new ArrayList<>(java.util.Collections.nCopies(after.size(), lost)));
      } else {
        Replies one = link.run(List.of(command), after);
        all.add(one.all().get(0));
        followed.addAll(one.after());
      }
    }
    return new Replies(all, after.isEmpty() ? List.of() : followed);
  }

  @Override
  public String nodeOf(int slot) {
    return link.nodeOf(slot);
  }

  @Override
  public boolean cluster() {
    return link.cluster();
  }

  @Override
  public boolean closed() {
    return link.closed();
  }

  @Override
  public void close() {
    link.close();
  }
}
