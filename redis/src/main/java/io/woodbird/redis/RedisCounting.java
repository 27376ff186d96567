package io.woodbird.redis;

import io.woodbird.Answer;
import io.woodbird.key.KeyHasher;
import io.woodbird.redis.RedisEvent.Cause;
import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.redis.layout.GenerationView;
import io.woodbird.redis.layout.PutGroup;
import io.woodbird.redis.layout.Script;
import io.woodbird.redis.layout.ShardHeader;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.RedisError;
import io.woodbird.redis.proof.Shared;
import io.woodbird.redis.proof.Trouble;
import java.util.ArrayList;
import java.util.List;

/** A counting Bloom filter in Redis: all but removing is as without counters. */
final class RedisCounting<K> extends RedisWords<K> implements RedisDeletableFilter<K> {
  private static final int ATTEMPTS = 4;
  private static final long TICKET_MILLIS = 60_000;

  RedisCounting(Shared shared, KeyHasher<K> keys) {
    super(shared, keys, null);
  }

  @Override
  public boolean removeHash(long hash) {
    requireOpen();
    GenerationView live = shared.current();
    GenerationSpec generation = live.generation;
    int shard = generation.shardOf(hash);
    // Commands may be carried out twice, and the second time whenever. So there is a ticket, which
    // is made first, is used up by the removal, and is not made again.
    byte[] ticket =
        Command.bytes(Command.text(live.keys[shard]) + ":call:" + Script.hex(shared.time.random()));
    Object reply =
        shared.link.run(Command.of(Command.Name.SET, ticket, "", "PX", TICKET_MILLIS, "NX"));
    if (reply instanceof RedisError error) {
      throw Trouble.of(error, Command.text(live.keys[shard])).failure("nothing is removed");
    }
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      long life = live.lives.get(shard);
      List<byte[]> arguments = new ArrayList<>();
      arguments.add(ShardHeader.bytes(life));
      arguments.add(Command.bytes(Script.hex(life)));
      arguments.add(ticket);
      long[] words = PutGroup.wordsOf(generation, hash);
      PutGroup.addPlaces(arguments, generation, words, generation.offset(hash, 0));
      reply = shared.link.run(live.script(Script.REMOVE, shard, arguments.toArray()));
      if (reply instanceof Long done && done >= 0) {
        return done == 1;
      }
      // The question heals the shard, or learns in which life it is proven, if it can.
      if (askHash(hash) == Answer.UNKNOWN) {
        break;
      }
    }
    Trouble trouble =
        reply instanceof RedisError error
            ? Trouble.of(error, Command.text(live.keys[shard]))
            : new Trouble(Trouble.Kind.FOREIGN, Cause.OVERWRITTEN, "its shard is lost or in doubt");
    throw new RedisFilterException(
        trouble.cause(),
        "filter " + shared.name + ": the removal is not known to be done: " + trouble.message());
  }
}
