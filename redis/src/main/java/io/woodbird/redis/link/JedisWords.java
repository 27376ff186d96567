package io.woodbird.redis.link;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.BooleanSupplier;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.args.Rawable;

/**
 * The words of one command after another, as Jedis takes them. It writes them out at once, so one
 * object serves all (making lists of them took a third of the client's time).
 */
public final class JedisWords extends CommandArguments {
  private final BooleanSupplier late;
  private final Walk walk = new Walk();
  private byte[][] words = {};
  private byte[] name = {};
  private int next;

  /**
   * Makes one.
   *
   * @param late whether nothing may be sent any more. It is asked when the connection has a socket:
   *     one that was cut after that takes nothing, and one that was cut before has a new one
   */
  public JedisWords(BooleanSupplier late) {
    super(Protocol.Command.PING);
    this.late = late;
  }

  public JedisWords of(Command command) {
    requireInTime();
    name = command.name.bytes;
    words = command.arguments;
    return this;
  }

  @Override
  public int size() {
    requireInTime();
    return words.length + 1;
  }

  private void requireInTime() {
    if (late.getAsBoolean()) {
      throw new IllegalStateException("the deadline is over");
    }
  }

  @Override
  public Rawable get(int index) {
    next = index + 1;
    return walk;
  }

  @Override
  public Iterator<Rawable> iterator() {
    next = 0;
    return walk;
  }

  /** The way over the words, and the word that was asked for last. */
  private final class Walk implements Iterator<Rawable>, Rawable {
    @Override
    public boolean hasNext() {
      return next <= words.length;
    }

    @Override
    public Rawable next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      next++;
      return this;
    }

    @Override
    public byte[] getRaw() {
      return next == 1 ? name : words[next - 2];
    }
  }
}
