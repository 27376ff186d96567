package io.woodbird.redis.generations;

import io.woodbird.layout.BlockedBloom;
import io.woodbird.redis.RedisEvent.Cause;
import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.link.ClientAccess;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.proof.FoundShard;
import io.woodbird.redis.proof.Life;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Neighbouring shards of a generation that is being built, filled on a machine that is not the
 * builder, and then sent.
 */
public final class ShardLoad {
  /*
   * The builder has the lease, makes the shards, links them, vouches for them and swaps, as in every
   * build. Only the bits come from elsewhere. They are added by OR, and to the shard of this very
   * generation alone. So they may be sent twice, or late by a machine that was given up: then the
   * same bits are set again, or the shard is gone and nothing happens.
   *
   * A load that the server lost again is noticed as in every build: the builder vouches for a shard
   * only in the life in which it was made. So a load counts only if the server that took it is in
   * that life too: after a failover the builder could still talk to the old master, and vouch for a
   * shard there that has none of the bits. And the builder asks for the confirmation of replicas or disks
   * after all loads, on the servers that took them, so that this confirms the loads too.
   */
  private final GenerationView live;
  private final int from;

  /** One for each shard, with zeros where the header is. */
  private final ByteBuffer[] values;

  /**
   * Makes shards without bits.
   *
   * @param filter the name of the filter
   * @param from the first shard
   * @param to the one after the last
   */
  public ShardLoad(String filter, GenerationSpec generation, int from, int to) {
    this.live = new GenerationView(filter, generation);
    this.from = from;
    this.values = new ByteBuffer[to - from];
    for (int i = 0; i < values.length; i++) {
      int bytes = Math.toIntExact(generation.bytesIn(from + i));
      values[i] = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
  }

  /**
   * Sets the bits of hashes in the blocks that they find, all in these shards. A key of two blocks
   * has two hashes, its own and {@link BlockedBloom#other}.
   */
  public void add(long[] hashes, int count) {
    GenerationSpec generation = live.generation;
    BlockedBloom layout = generation.layout();
    for (int i = 0; i < count; i++) {
      ByteBuffer value = values[generation.shardOf(hashes[i]) - from];
      int offset = Math.toIntExact(generation.offset(hashes[i], 0));
      long fields = layout.fields(hashes[i]);
      for (int j = 0; j < layout.shape().words(); j++) {
        int at = offset + 8 * layout.word(fields, j);
        value.putLong(at, value.getLong(at) | layout.mask(fields, j));
      }
    }
  }

  /**
   * Sends the bits, a shard at a time.
   *
   * @throws RedisFilterException if it is not known that the servers have them
   */
  public void send(ClientAccess access) {
    for (int i = 0; i < values.length; i++) {
      int shard = from + i;
      List<Command> commands = Loads.adding(live, shard, values[i].array(), access.time());
      Link.Replies replies = access.link().run(commands, List.of(Life.ASK));
      FoundShard found = Loads.added(replies, 0, live, shard);
      if (found.trouble() != null) {
        throw found.trouble().failure("the load is not known to be done");
      }
      if (found.life().id() != found.header().life()) {
        throw new RedisFilterException(
            Cause.RESTARTED,
            "the load is not known to be done: %s was made in another life of its server"
                .formatted(Command.text(live.keys[shard])));
      }
    }
  }
}
