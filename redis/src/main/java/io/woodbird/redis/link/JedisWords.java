package io.woodbird.redis.link;

import java.util.Iterator;
import java.util.NoSuchElementException;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.args.Rawable;

/**
 * The words of one command after another, as Jedis takes them. It writes them out at once, so one
 * object serves all (making lists of them took a third of the client's time).
 */
public final class JedisWords extends CommandArguments {
  private final Walk walk = new Walk();
  private byte[][] words = {};
  private byte[] name = {};
  private int next;

  public JedisWords() {
    super(Protocol.Command.PING);
  }

  public JedisWords of(Command command) {
    name = command.name.bytes;
    words = command.arguments;
    return this;
  }

  @Override
  public int size() {
    return words.length + 1;
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
